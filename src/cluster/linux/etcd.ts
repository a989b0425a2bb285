import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, mkdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { compareCodeUnits } from '../../core/problem.ts';
import { reasonOf } from '../../core/redact.ts';
import type { EtcdAccess, EtcdMember } from '../host.ts';
import { flushDirectory, partOf } from './files.ts';
import { message, openService, service, type Credentials, type Definitions } from './grpc.ts';

/** The part of version 3 of etcd's API that is used: numbers of fields are its own. */
const DEFINITIONS: Definitions = {
  nested: {
    etcdserverpb: {
      nested: {
        MemberListRequest: message({}),
        MemberListResponse: message({ members: ['Member[]', 2] }),
        Member: message({ name: ['string', 2], clientURLs: ['string[]', 4] }),
        Cluster: service(['MemberList']),
        StatusRequest: message({}),
        StatusResponse: message({ leader: ['uint64', 4], errors: ['string[]', 8] }),
        SnapshotRequest: message({}),
        SnapshotResponse: message({ remaining_bytes: ['uint64', 2], blob: ['bytes', 3] }),
        Maintenance: service(['Status'], ['Snapshot']),
      },
    },
  },
};

/** Milliseconds until a member counts as away, and a snapshot of the largest etcd as one that does not come. */
const PATIENCE = 5000;
const SNAPSHOT_PATIENCE = 10 * 60_000;
/** etcd ends a snapshot with the SHA-256 of what comes before: bytes. */
const DIGEST_LENGTH = 32;

/** Every member of etcd, by the first endpoint that answers. */
export async function membersOf(access: EtcdAccess): Promise<readonly EtcdMember[]> {
  const credentials = await credentialsOf(access);
  const members = await firstOf(access, async (endpoint) => {
    const answer = await once(endpoint, 'Cluster', 'MemberList', credentials);
    return (
      answer as { readonly members: readonly { readonly name: string; readonly clientURLs: readonly string[] }[] }
    ).members;
  });
  const looked = await Promise.all(
    members.map(async ({ name, clientURLs }) => ({ name, isHealthy: await isHealthy(clientURLs, credentials) })),
  );
  return looked.toSorted((a, b) => compareCodeUnits(a.name, b.name));
}

async function isHealthy(urls: readonly string[], credentials: Credentials | undefined): Promise<boolean> {
  for (const url of urls)
    try {
      const { leader, errors } = (await once(url, 'Maintenance', 'Status', credentials)) as {
        readonly leader: number;
        readonly errors: readonly string[];
      };
      return leader !== 0 && errors.length === 0;
    } catch {
      // Another address of it may answer.
    }
  return false;
}

/** Saves all that etcd holds, and looks whether it came whole. */
export async function saveSnapshot(access: EtcdAccess, path: string): Promise<{ readonly bytes: number }> {
  const credentials = await credentialsOf(access);
  await mkdir(posix.dirname(path), { recursive: true, mode: 0o700 });
  // Who removes the snapshot removes this as well.
  const part = partOf(path);
  try {
    const bytes = await firstOf(access, (endpoint) => saveFrom(endpoint, credentials, part));
    await rename(part, path);
    await flushDirectory(posix.dirname(path));
    return { bytes };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function saveFrom(endpoint: string, credentials: Credentials | undefined, path: string): Promise<number> {
  const etcd = await openService(targetOf(endpoint), DEFINITIONS, 'etcdserverpb.Maintenance', credentials);
  const file = await open(path, 'w', 0o600);
  const hash = createHash('sha256');
  let last = Buffer.alloc(0);
  let bytes = 0;
  try {
    for await (const answer of etcd.stream('Snapshot', {}, SNAPSHOT_PATIENCE)) {
      const { blob } = answer as { readonly blob: Buffer };
      await file.writeFile(blob);
      bytes += blob.length;
      // Whatever is not among the last bytes is not the digest.
      last = Buffer.concat([last, blob]);
      const known = Math.max(0, last.length - DIGEST_LENGTH);
      hash.update(last.subarray(0, known));
      last = last.subarray(known);
    }
    await file.sync();
  } finally {
    await file.close();
    etcd.close();
  }
  if (!hash.digest().equals(last)) throw new Error('the snapshot of etcd is not whole: its digest is another one');
  return bytes;
}

async function once(
  endpoint: string,
  name: string,
  method: string,
  credentials: Credentials | undefined,
): Promise<unknown> {
  const etcd = await openService(targetOf(endpoint), DEFINITIONS, `etcdserverpb.${name}`, credentials);
  try {
    return await etcd.call(method, {}, PATIENCE);
  } finally {
    etcd.close();
  }
}

/** The first endpoint that does what is wanted. */
async function firstOf<T>({ endpoints }: EtcdAccess, work: (endpoint: string) => Promise<T>): Promise<T> {
  const reasons: string[] = [];
  for (const endpoint of endpoints)
    try {
      return await work(endpoint);
    } catch (error) {
      reasons.push(`${endpoint}: ${reasonOf(error)}`);
    }
  throw new Error(reasons.length === 0 ? 'etcd has no endpoint' : `no endpoint of etcd answers: ${reasons.join('; ')}`);
}

function targetOf(endpoint: string): string {
  const { protocol, host, pathname } = new URL(endpoint);
  return protocol === 'unix:' || protocol === 'unixs:' ? `unix:${host}${pathname}` : host;
}

async function credentialsOf({ endpoints, caFile, certFile, keyFile }: EtcdAccess): Promise<Credentials | undefined> {
  if (endpoints.every((endpoint) => endpoint.startsWith('http:') || endpoint.startsWith('unix:'))) return undefined;
  const [ca, cert, key] = await Promise.all(
    [caFile, certFile, keyFile].map(async (path) => (path === undefined ? undefined : readFile(path))),
  );
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}
