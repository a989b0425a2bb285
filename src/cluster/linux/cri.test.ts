import { Server, ServerCredentials, status, type ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRuntime, DEFINITIONS, type Runtime } from './cri.ts';

type Handler = (request: Record<string, unknown>) => object;

let folder: string;
let server: Server;
let runtime: Runtime;
let handlers: Record<string, Handler>;
let asked: (readonly [method: string, request: object])[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bootlace-cri-'));
  asked = [];
  handlers = {};
  server = new Server();
  const all = fromJSON(DEFINITIONS as Parameters<typeof fromJSON>[0], {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
  });
  for (const name of ['RuntimeService', 'ImageService']) {
    const definition = all[`runtime.v1.${name}`] as ServiceDefinition;
    const methods = Object.keys(definition).map((method) => [
      method,
      (call: { request: Record<string, unknown> }, answer: (error: object | null, value?: object) => void) => {
        asked.push([method, call.request]);
        const handler = handlers[method];
        if (handler === undefined) answer({ code: status.NOT_FOUND, details: 'no such container' });
        else answer(null, handler(call.request));
      },
    ]);
    server.addService(definition, Object.fromEntries(methods) as never);
  }
  const socket = join(folder, 'cri.sock');
  await new Promise<void>((done, fail) =>
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => (error ? fail(error) : done())),
  );
  runtime = createRuntime(socket);
});

afterEach(() => {
  runtime.close();
  server.forceShutdown();
  rmSync(folder, { recursive: true });
});

const container = (id: string, state: string, created: number, more: object = {}): object => ({
  id,
  metadata: { name: 'kube-apiserver', attempt: 2 },
  state,
  created_at: created,
  labels: {
    'io.kubernetes.pod.name': `${id}-pod`,
    'io.kubernetes.pod.namespace': 'kube-system',
    'io.kubernetes.pod.uid': `${id}-uid`,
  },
  ...more,
});

describe('containers', () => {
  test('are told in the order in which they were made, with the exit code of those that ended', async () => {
    handlers['ListContainers'] = () => ({
      containers: [
        container('late', 'CONTAINER_RUNNING', 30),
        container('early', 'CONTAINER_EXITED', 10),
        container('new', 'CONTAINER_CREATED', 40),
        container('strange', 'CONTAINER_RUNNING', 5, { labels: {} }),
      ],
    });
    handlers['ContainerStatus'] = () => ({ status: { exit_code: 137 } });
    const common = { name: 'kube-apiserver', podNamespace: 'kube-system', attempt: 2 };
    expect(await runtime.containers()).toEqual([
      { ...common, id: 'early', podName: 'early-pod', podUid: 'early-uid', state: 'exited', exitCode: 137 },
      { ...common, id: 'late', podName: 'late-pod', podUid: 'late-uid', state: 'running' },
    ]);
  });

  test('may be gone before they are asked for their exit code', async () => {
    handlers['ListContainers'] = () => ({ containers: [container('gone', 'CONTAINER_EXITED', 1)] });
    const [one] = await runtime.containers();
    expect(one).not.toHaveProperty('exitCode');
  });

  test('are stopped with their time of grace', async () => {
    handlers['StopContainer'] = () => ({});
    await runtime.stop('x', 7);
    expect(asked).toEqual([['StopContainer', { container_id: 'x', timeout: 7 }]]);
  });

  test('that are not there cannot be, and the runtime says why', async () => {
    await expect(runtime.stop('x', 1)).rejects.toThrow(/StopContainer: .*no such container/);
  });
});

test('images are told by tag and by digest, sorted', async () => {
  handlers['ListImages'] = () => ({
    images: [
      { repo_tags: ['b:1', 'a:1'], repo_digests: ['b@sha256:1'] },
      { repo_tags: [], repo_digests: ['c@sha256:2'] },
    ],
  });
  expect(await runtime.images()).toEqual(['a:1', 'b:1', 'b@sha256:1', 'c@sha256:2']);
});

test('an image is pulled by its name', async () => {
  handlers['PullImage'] = () => ({ image_ref: 'x' });
  await runtime.pull('registry.k8s.io/pause:3.10');
  expect(asked).toEqual([['PullImage', { image: { image: 'registry.k8s.io/pause:3.10' } }]]);
});

test('a runtime that is away is an error that says so', async () => {
  const away = createRuntime(join(folder, 'none.sock'));
  await expect(away.images()).rejects.toThrow(/ListImages/);
  away.close();
});
