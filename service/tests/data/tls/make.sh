#!/bin/sh
# Makes the certificates of the tests anew, valid for a hundred years: an authority with a server at 127.0.0.1
# and a client, and another authority with a client of its own. Of the first authority there are a server and a
# client that have expired, too. Run it in this folder.
set -eu
authority() { # authority NAME
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -keyout "$1.key" -out "$1.pem" \
    -subj "/CN=Dragontooth tests $1" -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}
signed() { # signed NAME AUTHORITY EXTENSIONS [DAYS]
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=Dragontooth tests $1"
  printf '%s\n' "basicConstraints=CA:FALSE" "$3" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days "${4:-36500}" -extfile "$1.ext" -out "$1.pem"
  rm "$1.csr" "$1.ext"
}
authority ca
authority other-ca
signed server ca "subjectAltName=IP:127.0.0.1,DNS:localhost"
signed client ca "extendedKeyUsage=clientAuth"
signed other-client other-ca "extendedKeyUsage=clientAuth"
signed expired-server ca "subjectAltName=IP:127.0.0.1,DNS:localhost" -1
signed expired-client ca "extendedKeyUsage=clientAuth" -1
rm -f ca.key other-ca.key ca.srl other-ca.srl
