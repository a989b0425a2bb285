import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ClientModule } from '../../src/cluster/kubernetes/load.ts';

/** An HTTP server that answers as a test wants, byte by byte, until the test ends. Gives its URL. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What stands for the official client: a kubeconfig of that server, which adds to requests what `apply` adds. */
export function clientFor(server: string, apply: (options: object) => Promise<void> = async () => {}): ClientModule {
  return {
    KubeConfig: class {
      loadFromFile(): void {}
      setCurrentContext(): void {}
      getContextObject(): null {
        return null;
      }
      getCurrentCluster(): { server: string } {
        return { server };
      }
      getCurrentUser(): null {
        return null;
      }
      loadFromClusterAndUser(): void {}
      applyToHTTPSOptions(options: object): Promise<void> {
        return apply(options);
      }
    },
  };
}
