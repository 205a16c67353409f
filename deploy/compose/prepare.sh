#!/bin/sh
# Makes the secrets of deploy/compose.yaml and deploy/replicas.yaml, in deploy/compose/secrets, which is in no commit.
#
#   prepare.sh files [NAME…]    a certificate for localhost and these names, and the passwords of Grafana and the database
#   prepare.sh tokens           tokens of the operator, the runner and its two bots; the service must not run
#   prepare.sh tokens replicas  the same for deploy/replicas.yaml, whose database this starts
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
    for password in grafana-password database-password; do
        if [ -e "$secrets/$password" ]; then
            echo "$secrets/$password: exists already"
        else
            openssl rand -hex 16 >"$secrets/password.new"
            chmod 644 "$secrets/password.new"
            mv "$secrets/password.new" "$secrets/$password"
            echo "$secrets/$password"
        fi
    done
    ;;
tokens)
    case ${2:-} in
    '')
        in_compose="--file ../compose.yaml run --rm --no-deps -T service"
        log="--data /data"
        ;;
    replicas)
        in_compose="--file ../replicas.yaml run --rm -T service"
        log="--log postgres://dragontooth@%2Fvar%2Frun%2Fpostgresql/dragontooth --log-password-file /run/secrets/database-password"
        ;;
    *)
        echo "usage: prepare.sh tokens [replicas]" >&2
        exit 2
        ;;
    esac
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
        # shellcheck disable=SC2086 # both are words
        secret=$(docker compose $in_compose token create "$1" --scopes "$2" $log | tail -n 1)
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
    echo "usage: prepare.sh files [NAME...] | prepare.sh tokens [replicas]" >&2
    exit 2
    ;;
esac
