#!/bin/sh
# Makes an authority and a certificate of the service that it has signed, for trying things out and for
# closed networks. The names are those by which clients reach the service.
#
#   certificate.sh FOLDER [NAME…]
#
# FOLDER gets ca.pem (for the clients), service.pem and service.key (for the service). The authority's own
# key is thrown away: new names want a new authority. A FOLDER that is made here is closed to others; one that
# is there already keeps its mode, and then the key has to be closed. Where a public authority certifies you, take its files.
set -eu
folder=${1:?usage: certificate.sh FOLDER [NAME...]}
shift
days=397
names="DNS:localhost,IP:127.0.0.1"
for name in "$@"; do
    case $name in
    *:*) names="$names,IP:$name" ;;
    '' | *[!-A-Za-z0-9._*]*)
        echo "certificate.sh: '$name' is neither a host's name nor an address" >&2
        exit 1
        ;;
    *[!0-9.]*) names="$names,DNS:$name" ;;
    *) names="$names,IP:$name" ;;
    esac
done
if ! command -v openssl >/dev/null; then
    echo "certificate.sh: openssl is not installed" >&2
    exit 1
fi
umask 077
mkdir -p "$folder"
if [ -e "$folder/service.key" ]; then
    echo "certificate.sh: $folder has a certificate already" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What openssl says is of interest only if it fails.
quietly() {
    "$@" 2>"$work/said" || {
        cat "$work/said" >&2
        exit 1
    }
}
quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "$days" \
    -subj "/CN=Dragontooth authority" -keyout "$work/ca.key" -out "$work/ca.pem"
quietly openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -subj "/CN=dragontooth" -keyout "$work/service.key" -out "$work/service.csr"
printf 'subjectAltName=%s\nbasicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\n' "$names" >"$work/extensions"
quietly openssl x509 -req -in "$work/service.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial \
    -days "$days" -extfile "$work/extensions" -out "$work/service.pem"
chmod 644 "$work/ca.pem" "$work/service.pem"
# A container's user has to read the key; others cannot get through the folder, if that is closed.
case $(ls -ld "$folder") in
d???------*) chmod 644 "$work/service.key" ;;
esac
mv "$work/ca.pem" "$work/service.pem" "$work/service.key" "$folder/"
echo "$folder: ca.pem, service.pem and service.key for $names"
