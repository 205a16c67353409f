import { durationMs } from "@bufbuild/protobuf/wkt";
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";

import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import type { Status } from "./gen/google/rpc/status_pb.js";
import { REASONS, type Reason, type ReasonInfo } from "./reasons.js";

/** The domain of the service's own refusals. */
const DOMAIN = "dragontooth.v1";

/** The beginning of the type of a detail. */
const TYPE_URL = "type.googleapis.com/";

/** Reasons after which the same request may be granted later. */
const PASSING_REASONS: readonly string[] = ["DRAINING", "LIMIT_REACHED", "LOG_UNAVAILABLE", "RATE_LIMITED"];

/** Codes without a reason after which the same request may be granted later. */
const PASSING_CODES: readonly Code[] = [
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Aborted,
  Code.Internal,
  Code.Unknown,
  Code.Canceled,
];

/** Errors of Node.js that say that TLS does not work: to try again changes nothing. */
const TLS_CODES = /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|EPROTO)/;

/** Error codes of Node.js when the service expects TLS. */
const INADEQUATE_SECURITY = /^Session closed with error code (12|NGHTTP2_INADEQUATE_SECURITY)/;

/** A field of a request and what is wrong with it. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** A refusal by the service, or a failure on the way to it. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** The gRPC code. */
  readonly code: Code;
  /** The reason, a word of `ErrorReason` without its prefix; none if the service's own code was not reached. */
  readonly reason: Reason | string | undefined;
  /** The facts. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The fields that cannot be read. */
  readonly fields: readonly FieldViolation[];
  /** Pause before a retry that the service asks for. */
  readonly retryAfterMs: number | undefined;
  /** True if TLS failed, in which case retrying does not help. */
  readonly isTls: boolean;

  constructor(
    message: string,
    facts: {
      code: Code;
      reason?: string | undefined;
      metadata?: Record<string, string>;
      fields?: FieldViolation[];
      retryAfterMs?: number | undefined;
      isTls?: boolean;
      cause?: unknown;
    },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.reason = facts.reason;
    this.metadata = facts.metadata ?? {};
    this.fields = facts.fields ?? [];
    this.retryAfterMs = facts.retryAfterMs;
    this.isTls = facts.isTls ?? false;
  }

  /** Advice for bot authors; undefined without a reason. */
  get advice(): string | undefined {
    return this.info?.advice;
  }

  /** True if the same request may succeed later. */
  get isTransient(): boolean {
    if (this.isTls) {
      return false;
    }
    if (this.reason !== undefined) {
      return this.retryAfterMs !== undefined || PASSING_REASONS.includes(this.reason);
    }
    return PASSING_CODES.includes(this.code);
  }

  /** The documentation of the reason. */
  get info(): ReasonInfo | undefined {
    return isReason(this.reason) ? REASONS[this.reason] : undefined;
  }

  /** The message with the reason and the fields, for people. */
  override toString(): string {
    if (this.isTls) {
      return this.message;
    }
    const reason = this.reason ?? Code[this.code];
    const fields = this.fields
      .filter(({ description }) => !this.message.includes(description))
      .map(({ field, description }) => `; ${field}: ${description}`);
    return `${this.message} (${reason})${fields.join("")}`;
  }
}

/** Why a session ended before its time. */
export type SessionFailure =
  /** A newer stream of the same player has taken over. */
  | "superseded"
  /** The service knows no player of this token. */
  | "token_refused"
  /** There was no connection for longer than the session's patience. */
  | "lost"
  /** The match that the session waits for cannot be played. */
  | "match_unavailable"
  /** The service refuses to play. */
  | "refused";

/** Why a session ended before its time. */
export class SessionError extends Error {
  override readonly name = "SessionError";

  constructor(
    readonly failure: SessionFailure,
    message: string,
    override readonly cause?: ServiceError,
  ) {
    super(message);
  }
}

/** Returns true if this package knows the reason. */
export function isReason(text: string | undefined): text is Reason {
  return text !== undefined && Object.hasOwn(REASONS, text);
}

/** The error that a call ended with. */
export function serviceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) {
    return error;
  }
  const connect = ConnectError.from(error);
  if (connect.cause instanceof ServiceError) {
    return connect.cause;
  }
  const details = connect.details.flatMap((detail) =>
    "type" in detail && "value" in detail && detail.value instanceof Uint8Array
      ? [{ type: detail.type as string, value: detail.value }]
      : [],
  );
  const text = connect.rawMessage === "" ? connect.message : connect.rawMessage;
  return fromDetails(connect.code, text, details, connect);
}

/** The refusal in a `refused` message of a stream. */
export function refusalOf(status: Status | undefined): ServiceError {
  const details = (status?.details ?? []).map(({ typeUrl, value }) => ({
    type: typeUrl.replace(TYPE_URL, ""),
    value,
  }));
  return fromDetails(status?.code ?? Code.Unknown, status?.message ?? "", details, undefined);
}

function fromDetails(
  code: Code,
  message: string,
  details: { type: string; value: Uint8Array }[],
  cause: unknown,
): ServiceError {
  const detail = (type: string) => details.find((detail) => detail.type === type)?.value;
  const info = detail(ErrorInfoSchema.typeName);
  const request = detail(BadRequestSchema.typeName);
  const retry = detail(RetryInfoSchema.typeName);
  const read = info === undefined ? undefined : fromBinary(ErrorInfoSchema, info);
  const own = read?.domain === DOMAIN ? read : undefined;
  const fields = request === undefined ? [] : fromBinary(BadRequestSchema, request).fieldViolations;
  const delay = retry === undefined ? undefined : fromBinary(RetryInfoSchema, retry).retryDelay;
  const tls = own === undefined ? tlsFault(cause) : undefined;
  return new ServiceError(tls === undefined ? message : `TLS: ${tls}`, {
    code,
    reason: own?.reason,
    metadata: own?.metadata ?? {},
    fields: fields.map(({ field, description }) => ({ field, description })),
    retryAfterMs: delay === undefined ? undefined : durationMs(delay),
    isTls: tls !== undefined,
    cause,
  });
}

/** Returns the TLS fault behind an error, if that is the cause. */
function tlsFault(error: unknown): string | undefined {
  for (let next = error; next instanceof Error; next = next.cause) {
    const { code, reason, message } = next as NodeJS.ErrnoException & { reason?: string };
    if (INADEQUATE_SECURITY.test(message)) {
      return "the service uses TLS: its address begins with https://";
    }
    if (typeof code === "string" && TLS_CODES.test(code)) {
      return reason ?? message;
    }
  }
  return undefined;
}
