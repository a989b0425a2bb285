import { posix } from 'node:path';
import { isClusterError, type Cluster } from '../../../cluster/api.ts';
import type { Files } from '../../../cluster/files.ts';
import type { Secret } from '../../../cluster/objects.ts';
import { SelfHostingError } from '../errors.ts';
import { buildSelfHostedSecret, SELF_HOSTED_SECRETS, type SecretDefinition } from './secrets.ts';

export interface UploadSettings {
  readonly cluster: Cluster;
  readonly files: Files;
  readonly certificatesDir: string;
  readonly kubeConfigDir: string;
  readonly log: (message: string) => void;
}

/**
 * Stores the Secrets one after the other, each read from its files just before. The first file that cannot be read
 * and the first refusal end it, without a second try; Secrets that were stored by then stay.
 */
export async function uploadSecrets(settings: UploadSettings): Promise<void> {
  for (const definition of SELF_HOSTED_SECRETS) {
    const secret = buildSelfHostedSecret(definition, await readFiles(definition, settings));
    await store(settings.cluster, secret);
    settings.log(`Stored Secret ${definition.name}.`);
  }
}

async function readFiles(
  { name, directory, files: names }: SecretDefinition,
  { files, ...directories }: UploadSettings,
): Promise<Record<string, Uint8Array>> {
  const contents: Record<string, Uint8Array> = {};
  for (const file of Object.values(names)) {
    const path = posix.join(directories[directory], file);
    try {
      contents[file] = await files.read(path);
    } catch (cause) {
      throw new SelfHostingError('FILE_UNREADABLE', `${path}, which Secret ${name} needs, cannot be read.`, { cause });
    }
  }
  return contents;
}

async function store(cluster: Cluster, secret: Secret): Promise<void> {
  try {
    await createOrUpdate(
      () => cluster.create(secret),
      () => cluster.update(secret),
    );
  } catch (cause) {
    const message = `Secret ${secret.metadata.name} was not stored; those before it were.`;
    throw new SelfHostingError('SECRET_NOT_STORED', message, { cause });
  }
}

/** Creates an object, or overwrites the one that is there already. */
export async function createOrUpdate(create: () => Promise<unknown>, update: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isClusterError(error, 'ALREADY_EXISTS')) throw error;
    await update();
  }
}
