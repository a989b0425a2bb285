import type { NodeCertificate, NodeFacts } from '../host.ts';
import { EPOCH } from './world.ts';

/** What does not follow from what happens on the machine. */
export type MachineFacts = Omit<NodeFacts, 'now'>;

const GIBIBYTE = 2 ** 30;
const DAY = 24 * 60 * 60_000;

/** When certificates of a cluster end that was made as the simulation began: kubeadm gives a year, and its CAs ten. */
const LEAF_END = EPOCH + 365 * DAY;
const AUTHORITY_END = EPOCH + 3650 * DAY;

const DIRECTORY = '/etc/kubernetes';
const AUTHORITIES = ['pki/ca.crt', 'pki/etcd/ca.crt', 'pki/front-proxy-ca.crt'];
const LEAVES = [
  'admin.conf',
  'controller-manager.conf',
  'pki/apiserver-etcd-client.crt',
  'pki/apiserver-kubelet-client.crt',
  'pki/apiserver.crt',
  'pki/etcd/healthcheck-client.crt',
  'pki/etcd/peer.crt',
  'pki/etcd/server.crt',
  'pki/front-proxy-client.crt',
  'scheduler.conf',
  'super-admin.conf',
];

/** A machine with room to spare, nothing else at work, and certificates that kubeadm has just made. */
export function stockFacts(isControlPlane: boolean): MachineFacts {
  return {
    memoryAvailableBytes: 4 * GIBIBYTE,
    diskFreeBytes: 20 * GIBIBYTE,
    // Default of Linux.
    ephemeralPorts: { from: 32_768, to: 60_999 },
    programs: [],
    certificates: isControlPlane ? stockCertificates() : [],
  };
}

function stockCertificates(): readonly NodeCertificate[] {
  const ending =
    (notAfter: number) =>
    (file: string): NodeCertificate => ({ path: `${DIRECTORY}/${file}`, notAfter });
  return [...AUTHORITIES.map(ending(AUTHORITY_END)), ...LEAVES.map(ending(LEAF_END))].toSorted((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}
