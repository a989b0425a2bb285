import { X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { compareCodeUnits } from '../../core/problem.ts';
import type { NodeCertificate } from '../host.ts';

/** Certificates of the control plane: those of kubeadm's folder, and those in its kubeconfigs. */
export async function certificatesIn(kubernetes: string): Promise<readonly NodeCertificate[]> {
  const pki = posix.join(kubernetes, 'pki');
  const paths = [
    ...(await filesIn(pki, '.crt')),
    ...(await filesIn(posix.join(pki, 'etcd'), '.crt')),
    ...(await filesIn(kubernetes, '.conf')),
  ];
  const found = await Promise.all(
    paths.map(async (path) => ({ path, notAfter: endOf(await readFile(path, 'latin1')) })),
  );
  return found
    .filter((one): one is NodeCertificate => one.notAfter !== undefined)
    .toSorted((a, b) => compareCodeUnits(a.path, b.path));
}

async function filesIn(directory: string, ending: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => name.endsWith(ending)).map((name) => posix.join(directory, name));
  } catch (error) {
    // With an external etcd there is no folder of its certificates.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The first end of the certificates of a file; nothing where it has none that can be read. */
export function endOf(text: string): number | undefined {
  const inKubeconfig = [...text.matchAll(/^\s*client-certificate-data:\s*"?([A-Za-z0-9+/=]+)"?\s*$/gm)].map(
    ([, data]) => Buffer.from(data!, 'base64').toString('latin1'),
  );
  const blocks = [text, ...inKubeconfig].flatMap(
    (one) => one.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [],
  );
  const ends = blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block).validToDate.getTime()];
    } catch {
      // Who uses it will say so; here is only looked for the time.
      return [];
    }
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}
