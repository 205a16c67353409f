// Encrypted connections.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { Client, SessionError, play, readTlsFiles } from "../src/index.js";
import { Seat, Termination } from "../src/proto.js";
import { newToken, random } from "./players.js";
import { Service } from "./programs.js";

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];

/** Where the CI lacks the program, the tests fail. */
const lacksOpenssl = spawnSync("openssl", ["version"]).status !== 0 && process.env["CI"] === undefined;

describe.skipIf(lacksOpenssl)("over TLS", () => {
  /** A folder with an authority, and certificates of a service and of a client. */
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "dragontooth-"));
    const openssl = (...words: string[]) => execFileSync("openssl", words, { cwd: folder, stdio: "pipe" });
    openssl("req", "-x509", ...NEW_KEY, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem");
    writeFileSync(join(folder, "extensions"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n");
    for (const name of ["service", "client"]) {
      openssl("req", ...NEW_KEY, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
      const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions"];
      openssl("x509", "-req", "-in", `${name}.csr`, ...signing, "-out", `${name}.pem`);
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string) => join(folder, name);
  const serving = () => ["--tls-cert", file("service.pem"), "--tls-key", file("service.key")];

  /** The service demands a certificate of its clients, too. */
  test("a match is played", async () => {
    const service = await Service.start(...serving(), "--tls-client-ca", file("ca.pem"));
    const server = service.server.replace("http:", "https:");
    const tls = readTlsFiles({ ca: file("ca.pem"), cert: file("client.pem"), key: file("client.key") });
    const tokens = [newToken(), newToken()] as const;
    const clients = tokens.map((token) => new Client({ server, token, tls }));
    const players = await Promise.all(clients.map((client) => client.players.whoAmI({})));
    const [organiser] = clients as [Client];
    const reservations = players.map(({ playerId }, at) => ({ seat: at === 0 ? Seat.FIRST : Seat.SECOND, playerId }));
    const { match } = await organiser.matches.createMatch({ game: "linja", target: 1, reservations });
    const played = await Promise.all(tokens.map((token) => play({ server, token, tls, bot: random, matches: 1 })));
    expect(played.map(({ matches, failures }) => [matches, failures])).toEqual([[1, 0], [1, 0]]);
    const { match: ended } = await organiser.matches.getMatch({ matchId: match?.id ?? "" });
    expect(ended?.outcome?.termination).toBe(Termination.NORMAL);
    clients.forEach((client) => client.close());
    await service.remove();
  });

  /** Retrying would fail the same way, so the session does not. */
  test("a service that is not trusted is not tried again", async () => {
    const service = await Service.start(...serving());
    const server = service.server.replace("http:", "https:");
    const failed = play({ server, token: newToken(), bot: random, firstPatienceMs: 3_600_000 });
    await expect(failed).rejects.toThrow(SessionError);
    await expect(failed).rejects.toThrow(/certificate/);
    await service.remove();
  });

  test("a service without TLS is reported at once", async () => {
    const service = await Service.start();
    const server = service.server.replace("http:", "https:");
    const tls = readTlsFiles({ ca: file("ca.pem") });
    const failed = play({ server, token: newToken(), bot: random, tls, firstPatienceMs: 3_600_000 });
    await expect(failed).rejects.toThrow(SessionError);
    await service.remove();
  });
});
