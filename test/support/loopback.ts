// A server of a test on any free port of loopback.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Its address, without a slash at the end, and what ends it with all of its connections. */
export async function listenOnLoopback(
  server: Server,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
