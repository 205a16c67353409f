"""Calls a method by reflection, by the arguments that docs/walkthrough.md gives to grpcurl."""

from __future__ import annotations

import argparse
import sys

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha import proto_reflection_descriptor_database as reflection


def main() -> None:
    parser = argparse.ArgumentParser(prog="grpcurl", allow_abbrev=False)
    parser.add_argument("-plaintext", action="store_true", required=True)
    parser.add_argument("-H", dest="header", required=True)
    parser.add_argument("-d", dest="request", required=True)
    parser.add_argument("address")
    parser.add_argument("method")
    given = parser.parse_args()
    name, _, value = given.header.partition(": ")
    service, _, method = given.method.partition("/")
    with grpc.insecure_channel(given.address) as channel:
        pool = DescriptorPool(reflection.ProtoReflectionDescriptorDatabase(channel))
        found = pool.FindServiceByName(service).FindMethodByName(method)
        request, response = GetMessageClass(found.input_type), GetMessageClass(found.output_type)
        # One response is a stream of one.
        call = channel.unary_stream(
            f"/{service}/{method}",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )
        sent = json_format.Parse(given.request, request())
        try:
            for received in call(sent, metadata=[(name, value)]):
                print(json_format.MessageToJson(received))
        except grpc.RpcError as refused:
            sys.exit(f"ERROR:\n  Code: {refused.code()}\n  Message: {refused.details()}")


if __name__ == "__main__":
    main()
