#!/bin/sh
# Makes a certificate authority and a certificate of the service that it has signed, for tests and for closed
# networks. The names are those by which clients reach the service; localhost and 127.0.0.1 are always among them.
#
#   certificate.sh FOLDER [NAME…]
#
# FOLDER gets ca.pem (for the clients), service.pem and service.key (for the service). Only you can read the key. The
# authority's own key is deleted: new names need a new authority. If a public authority certifies you, use its files.
set -eu
folder=${1:?usage: certificate.sh FOLDER [NAME...]}
shift
days=397
names=
for name in localhost 127.0.0.1 "$@"; do
    name=$(printf '%s' "$name" | tr '[:upper:]' '[:lower:]')
    case $name in
    *:*) name=IP:$name ;;
    '' | *[!-a-z0-9._*]*)
        echo "certificate.sh: '$name' is not a host name or an address" >&2
        exit 1
        ;;
    *[!0-9.]*) name=DNS:$name ;;
    *) name=IP:$name ;;
    esac
    case ",$names," in
    *",$name,"*) ;;
    *) names=${names:+$names,}$name ;;
    esac
done
if ! command -v openssl >/dev/null; then
    echo "certificate.sh: openssl is not installed" >&2
    exit 1
fi
umask 077
mkdir -p "$folder"
if [ -e "$folder/service.key" ]; then
    echo "certificate.sh: $folder already has a certificate" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Shows the output of openssl only if it fails.
quietly() {
    "$@" 2>"$work/output" || {
        cat "$work/output" >&2
        exit 1
    }
}
# As strict clients demand, such as Python from 3.13 on, whatever this machine's openssl.cnf says.
cat >"$work/config" <<END
[req]
distinguished_name = subject
[subject]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[service]
subjectAltName = $names
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
END
quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "$days" -config "$work/config" \
    -extensions authority -subj "/CN=Dragontooth authority" -keyout "$work/ca.key" -out "$work/ca.pem"
quietly openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -config "$work/config" \
    -subj "/CN=dragontooth" -keyout "$work/service.key" -out "$work/service.csr"
quietly openssl x509 -req -in "$work/service.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial \
    -days "$days" -extfile "$work/config" -extensions service -out "$work/service.pem"
chmod 644 "$work/ca.pem" "$work/service.pem"
chmod 600 "$work/service.key"
mv "$work/ca.pem" "$work/service.pem" "$work/service.key" "$folder/"
echo "$folder: ca.pem, service.pem and service.key for $names"
