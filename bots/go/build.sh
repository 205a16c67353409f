#!/bin/sh
# Builds the bot: build.sh [--test] [OUT]; with --test, also runs its tests. Without a network, with Go's packages as Debian has them, or with modules.
#
# It ends with 3 if there is nothing to build it with.
set -eu

test=:
if [ "${1:-}" = --test ]; then
    test="go test"
    shift
fi
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/dragontooth-go}
proto=$here/../../proto
debian=/usr/share/gocode
package=dragontooth/v1
files="$package/error_reason.proto $package/match.proto $package/player_service.proto $package/game_service.proto"
mapping=
for file in $files; do
    mapping=${mapping:+$mapping,}M$file=$package
done

for program in go protoc protoc-gen-go; do
    if ! command -v "$program" >/dev/null; then
        echo "there is no $program" >&2
        exit 3
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/dragontooth"
cp "$here"/*.go "$work/src/dragontooth"
cd "$work/src"

# The messages of Google that Debian's Go packages have.
types=github.com/golang/protobuf/ptypes
google=Mgoogle/protobuf/duration.proto=$types/duration,Mgoogle/protobuf/timestamp.proto=$types/timestamp

if [ -d "$debian/src/google.golang.org/grpc" ]; then
    # This generation knows no `optional` fields; without the word their messages are the same.
    cp -R "$proto" "$work/proto"
    for file in $files; do
        sed 's/^\( *\)optional /\1/' "$proto/$file" >"$work/proto/$file"
    done
    # shellcheck disable=SC2086 # a list of files
    protoc -I "$work/proto" --go_out="plugins=grpc,$mapping,$google:." $files
    export GO111MODULE=off GOFLAGS='' GOPATH="$work:$debian"
    go build -o "$out" dragontooth
    $test dragontooth
    exit
fi

if ! command -v protoc-gen-go-grpc >/dev/null; then
    echo "there is no protoc-gen-go-grpc" >&2
    exit 3
fi
# shellcheck disable=SC2086 # a list of files
protoc -I "$proto" \
    --go_out=. --go_opt="$mapping" --go-grpc_out=. --go-grpc_opt="$mapping" $files
cd dragontooth
cp "$here/go.mod" .
if ! go mod tidy; then
    echo "the modules cannot be fetched" >&2
    exit 3
fi
go build -o "$out" .
$test .
