#!/bin/sh
# Makes the secrets of deploy/compose.yaml, in deploy/compose/secrets, which is in no commit.
#
#   prepare.sh files [NAME…]   a certificate for localhost and these names, and Grafana's password
#   prepare.sh tokens          tokens of the operator, the runner and its two bots; the service must not run
#
# It keeps existing files, so a call that failed half way can be repeated.
set -eu
cd "$(dirname "$0")"
secrets=secrets
umask 077
case ${1:-} in
files)
    shift
    mkdir -p "$secrets"
    # The users of the containers read the files, and no other user of this machine enters the folder.
    chmod 700 "$secrets"
    if [ -e "$secrets/service.key" ]; then
        echo "$secrets: there is a certificate already; for other names remove service.key first"
    else
        ./certificate.sh "$secrets" service "$@"
        chmod 644 "$secrets/service.key"
    fi
    if [ -e "$secrets/grafana-password" ]; then
        echo "$secrets/grafana-password: exists already"
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
        echo "$secrets/tokens.env and $secrets/operator.env exist already; for a new volume remove both first"
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
            echo "prepare.sh: no token for $1 (are Docker and its compose plugin installed, and is the service stopped?)" >&2
            echo "prepare.sh: call it again when that is fixed; it continues with $1" >&2
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
    # Only the operator gets the operator's token.
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
