#!/bin/sh
# Makes the secrets of deploy/compose.yaml, in deploy/compose/secrets, which is in no commit.
#
#   prepare.sh files [NAME…]   a certificate for these names besides localhost, and Grafana's password
#   prepare.sh tokens          tokens of the operator, the runner and its two bots; the service must not run
#
# What is there already is kept. So where one of them has failed half way, it goes on when it is called again.
set -eu
cd "$(dirname "$0")"
secrets=secrets
umask 077
case ${1:-} in
files)
    shift
    mkdir -p "$secrets"
    # Containers' users read what is in it; on this machine nobody else gets through.
    chmod 700 "$secrets"
    if [ -e "$secrets/service.key" ]; then
        echo "$secrets: the certificate is there already; for other names remove service.key first"
    else
        ./certificate.sh "$secrets" service "$@"
    fi
    if [ -e "$secrets/grafana-password" ]; then
        echo "$secrets/grafana-password: is there already"
    else
        openssl rand -hex 16 >"$secrets/password.new"
        chmod 644 "$secrets/password.new"
        mv "$secrets/password.new" "$secrets/grafana-password"
        echo "$secrets/grafana-password: for the user admin"
    fi
    ;;
tokens)
    if [ ! -e "$secrets/service.key" ]; then
        echo "prepare.sh: there is no certificate yet: prepare.sh files comes first" >&2
        exit 1
    fi
    if [ -e "$secrets/tokens.env" ]; then
        echo "$secrets/tokens.env and $secrets/operator.env are there already; for a new volume remove both first"
        rm -f "$secrets/tokens.new"
        exit
    fi
    # issue NAME SCOPES VARIABLE
    issue() {
        if grep -q "^$3=" "$secrets/tokens.new"; then
            return
        fi
        secret=$(docker compose --file ../compose.yaml run --rm --no-deps -T service \
            token create "$1" --scopes "$2" --data /data | tail -n 1)
        case $secret in
        dgt_*) ;;
        *)
            echo "prepare.sh: no token for $1 (is Docker there with its compose plugin, and does the service not run?)" >&2
            echo "prepare.sh: call it again when that is mended; it goes on with $1" >&2
            exit 1
            ;;
        esac
        echo "$3=$secret" >>"$secrets/tokens.new"
    }
    touch "$secrets/tokens.new"
    issue operator admin OPERATOR_TOKEN
    issue runner create,watch RUNNER_TOKEN
    issue greedy play,watch GREEDY_TOKEN
    issue alphabeta play,watch ALPHABETA_TOKEN
    # The operator's is for the operator alone.
    grep '^OPERATOR_TOKEN=' "$secrets/tokens.new" >"$secrets/operator.env"
    grep -v '^OPERATOR_TOKEN=' "$secrets/tokens.new" >"$secrets/tokens.part"
    mv "$secrets/tokens.part" "$secrets/tokens.env"
    rm "$secrets/tokens.new"
    echo "$secrets/tokens.env and $secrets/operator.env"
    ;;
*)
    echo "usage: prepare.sh files [NAME...] | prepare.sh tokens" >&2
    exit 2
    ;;
esac
