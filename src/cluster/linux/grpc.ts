import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { reasonOf } from '../../core/redact.ts';
import { ClusterError } from '../api.ts';

/** Names and versions of the optional dependencies. They are loaded when a runtime or etcd is first asked. */
const INSTALL = 'npm install @grpc/grpc-js@1.14.7 @grpc/proto-loader@0.8.1';

/** Messages and services, as protobuf.js has them. */
export interface Definitions {
  readonly nested: object;
}

/** Certificates of a client, in PEM. */
export interface Credentials {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** A service that was connected to. */
export interface Service {
  call(method: string, request: object, timeoutMilliseconds: number): Promise<unknown>;
  /** Every message of an answer that has many. */
  stream(method: string, request: object, timeoutMilliseconds: number): AsyncIterable<unknown>;
  close(): void;
}

interface Method {
  readonly path: string;
  readonly requestSerialize: (value: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
}

/** The part of the libraries that is used. */
interface Grpc {
  readonly credentials: {
    createInsecure(): unknown;
    createSsl(ca?: Buffer, key?: Buffer, cert?: Buffer, options?: object): unknown;
  };
  readonly Metadata: new () => unknown;
  readonly Client: new (
    target: string,
    credentials: unknown,
    options?: object,
  ) => {
    makeUnaryRequest(
      path: string,
      serialize: Method['requestSerialize'],
      deserialize: Method['responseDeserialize'],
      request: object,
      metadata: unknown,
      options: object,
      callback: (error: Error | null, answer: unknown) => void,
    ): void;
    makeServerStreamRequest(
      path: string,
      serialize: Method['requestSerialize'],
      deserialize: Method['responseDeserialize'],
      request: object,
      metadata: unknown,
      options: object,
    ): AsyncIterable<unknown> & { cancel(): void };
    close(): void;
  };
}

interface ProtoLoader {
  fromJSON(definitions: object, options: object): Readonly<Record<string, Readonly<Record<string, Method>>>>;
}

/** Longest message, in bytes: a node with thousands of containers, and one part of a snapshot. */
const MESSAGE_LIMIT = 64 * 2 ** 20;

/** Connects to a service; nothing is sent yet. Throws `CLIENT_MISSING` where a library is not installed. */
export async function openService(
  target: string,
  { nested }: Definitions,
  name: string,
  credentials?: Credentials,
): Promise<Service> {
  const { grpc, loader } = await load();
  const methods = loader.fromJSON({ nested }, { keepCase: true, longs: Number, enums: String, defaults: true })[name]!;
  const { ca, cert, key } = credentials ?? {};
  const host = target.startsWith('unix:') ? '' : new URL(`http://${target}`).hostname.replace(/^\[(.*)\]$/, '$1');
  // Node takes no address for a name to ask a server for, and grpc-js gives it one. The certificate is held against the
  // address all the same.
  const isAddress = credentials !== undefined && isIP(host) !== 0;
  const identity = { checkServerIdentity: (_name: string, peer: PeerCertificate) => checkServerIdentity(host, peer) };
  const client = new grpc.Client(
    target,
    credentials === undefined
      ? grpc.credentials.createInsecure()
      : grpc.credentials.createSsl(ca, key, cert, isAddress ? identity : {}),
    {
      'grpc.max_receive_message_length': MESSAGE_LIMIT,
      // A proxy of the environment is no way to a socket of this node.
      'grpc.enable_http_proxy': 0,
      // Otherwise a server that was away for a moment is asked again minutes later.
      'grpc.max_reconnect_backoff_ms': 1000,
      ...(isAddress && { 'grpc.ssl_target_name_override': 'etcd' }),
      // Behind a socket no server has a name.
      ...(target.startsWith('unix:') && { 'grpc.default_authority': 'localhost' }),
    },
  );
  const optionsFor = (timeout: number): object => ({ deadline: Date.now() + timeout });
  return {
    call: (method, request, timeout) =>
      new Promise((resolve, reject) => {
        const { path, requestSerialize, responseDeserialize } = methods[method]!;
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          request,
          new grpc.Metadata(),
          optionsFor(timeout),
          (error, answer) => {
            if (error === null) resolve(answer);
            else reject(new Error(`${method}: ${reasonOf(error)}`, { cause: error }));
          },
        );
      }),
    stream: (method, request, timeout) => {
      const { path, requestSerialize, responseDeserialize } = methods[method]!;
      const options = optionsFor(timeout);
      return client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new grpc.Metadata(),
        options,
      );
    },
    close: () => client.close(),
  };
}

async function load(): Promise<{ readonly grpc: Grpc; readonly loader: ProtoLoader }> {
  try {
    // The one place where their types are taken on trust: the dependencies are optional, and so are their declarations.
    const [grpc, loader] = (await Promise.all([import('@grpc/grpc-js'), import('@grpc/proto-loader')])) as unknown[];
    return { grpc: grpc as Grpc, loader: loader as ProtoLoader };
  } catch (cause) {
    throw new ClusterError(
      'CLIENT_MISSING',
      `Asking the container runtime needs two packages that could not be loaded. Install them: ${INSTALL}`,
      { cause },
    );
  }
}

/** A message by its fields: name, type and number; `[]` behind a type that is repeated, `{}` for a map of texts. */
export function message(fields: Readonly<Record<string, readonly [type: string, id: number]>>): object {
  return {
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, [type, id]]) => {
        if (type.endsWith('[]')) return [name, { rule: 'repeated', type: type.slice(0, -2), id }];
        if (type.endsWith('{}')) return [name, { keyType: 'string', type: type.slice(0, -2), id }];
        return [name, { type, id }];
      }),
    ),
  };
}

/** A service by its methods, each with the beginning of the names of its messages: `Request` and `Response` follow. */
export function service(methods: readonly string[], streams: readonly string[] = []): object {
  return {
    methods: Object.fromEntries(
      [...methods, ...streams].map((name) => [
        name,
        {
          requestType: `${name}Request`,
          responseType: `${name}Response`,
          ...(streams.includes(name) && { responseStream: true }),
        },
      ]),
    ),
  };
}
