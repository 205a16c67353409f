import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Stands between a client and a service, and breaks connections. */
export class Proxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How many connections there were. */
  connections = 0;
  #cutAfterNextUpload = false;

  private constructor(port: number) {
    this.#server = createServer({ noDelay: true }, (client) => {
      this.connections += 1;
      const service = connect({ port, host: "127.0.0.1", noDelay: true });
      const both = [client, service];
      for (const socket of both) {
        this.#sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          this.#sockets.delete(socket);
          both.forEach((other) => other.destroy());
        });
      }
      service.on("data", (data) => client.write(data));
      client.on("data", (data) => {
        service.write(data, () => {
          if (this.#cutAfterNextUpload) {
            this.#cutAfterNextUpload = false;
            // What was sent arrives; what would be answered does not.
            client.destroy();
          }
        });
      });
    });
  }

  static async before(port: number): Promise<Proxy> {
    const proxy = new Proxy(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get server(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Cuts every connection. */
  cut(): void {
    this.#sockets.forEach((socket) => socket.destroy());
  }

  /** Passes on what the client sends next, and cuts the connection before it hears of it. */
  cutAfterNextUpload(): void {
    this.#cutAfterNextUpload = true;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
