// The token of this tab. It is kept for the tab alone, and ends with it.
const KEY = "token";
const NAME = "name";

/** The token that this tab uses; undefined if it has none. */
export function token(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Uses a token from now on; undefined uses none. */
export function useToken(token: string | undefined): void {
  if (token === undefined) {
    sessionStorage.removeItem(KEY);
  } else {
    sessionStorage.setItem(KEY, token);
  }
}

/** The name that the player has given for its matches. */
export function playerName(): string {
  return sessionStorage.getItem(NAME) ?? "";
}

/** Keeps the name for the next match. */
export function keepPlayerName(name: string): void {
  sessionStorage.setItem(NAME, name);
}

/** A token that nobody can guess, for services on which players choose their own. */
export function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `web-${hex(bytes)}`;
}

/** Bytes as hexadecimal digits in lower case. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
