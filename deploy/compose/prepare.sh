#!/bin/sh
# Makes the secrets of deploy/compose.yaml, in deploy/compose/secrets, which is in no commit.
#
#   prepare.sh files [NAME…]   a certificate for these names besides localhost, and Grafana's password
#   prepare.sh tokens          tokens of the operator, the runner and its two bots; the service must not run
set -eu
cd "$(dirname "$0")"
secrets=secrets
umask 077
case ${1:-} in
files)
    shift
    ./certificate.sh "$secrets" service "$@"
    openssl rand -hex 16 >"$secrets/grafana-password"
    # The container's user reads it; others cannot get through the folder.
    chmod 644 "$secrets/grafana-password"
    echo "$secrets/grafana-password: for the user admin"
    ;;
tokens)
    if [ ! -e "$secrets/service.key" ]; then
        echo "prepare.sh: there is no certificate yet: prepare.sh files comes first" >&2
        exit 1
    fi
    if [ -e "$secrets/tokens.env" ]; then
        echo "prepare.sh: $secrets/tokens.env is there already" >&2
        exit 1
    fi
    # issue NAME SCOPES VARIABLE
    issue() {
        secret=$(docker compose --file ../compose.yaml run --rm --no-deps -T service \
            token create "$1" --scopes "$2" --data /data | tail -n 1)
        case $secret in
        dgt_*) ;;
        *)
            echo "prepare.sh: no token for $1 (is Docker there with its compose plugin, and does the service not run?)" >&2
            exit 1
            ;;
        esac
        echo "$3=$secret" >>"$secrets/tokens.new"
    }
    : >"$secrets/tokens.new"
    issue operator admin OPERATOR_TOKEN
    issue runner create,watch RUNNER_TOKEN
    issue greedy play,watch GREEDY_TOKEN
    issue alphabeta play,watch ALPHABETA_TOKEN
    # The operator's is for the operator alone.
    grep '^OPERATOR_TOKEN=' "$secrets/tokens.new" >"$secrets/operator.env"
    grep -v '^OPERATOR_TOKEN=' "$secrets/tokens.new" >"$secrets/tokens.env"
    rm "$secrets/tokens.new"
    echo "$secrets/tokens.env and $secrets/operator.env"
    ;;
*)
    echo "usage: prepare.sh files [NAME...] | prepare.sh tokens" >&2
    exit 2
    ;;
esac
