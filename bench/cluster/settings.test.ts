import { expect, test } from 'vitest';
import { readSettings, settingsText, type SettingFlags } from './settings.ts';

test('nothing asked for is one control plane and one worker of the default version', () => {
  expect(readSettings({})).toEqual({
    kubernetes: 'v1.35.4',
    controlPlanes: 1,
    workers: 1,
    ipFamily: 'ipv4',
    proxy: 'iptables',
    hostFirewall: false,
  });
});

test('a version may stand without its v', () => {
  expect(readSettings({ kubernetes: '1.37.2' }).kubernetes).toBe('v1.37.2');
});

test.each<[SettingFlags, RegExp]>([
  [{ kubernetes: 'latest' }, /"latest" is no version of Kubernetes/],
  [{ kubernetes: 'v1.35.4; rm -rf /' }, /no version/],
  [{ kubernetes: '../v1.35.4' }, /no version/],
  [{ 'control-planes': '0' }, /--control-planes takes a number from 1 to 7/],
  [{ 'control-planes': '1e0' }, /--control-planes/],
  [{ workers: '-1' }, /--workers takes a number from 0 to 32/],
  [{ workers: '33' }, /--workers/],
  [{ 'ip-family': 'v4' }, /--ip-family takes no "v4"/],
  [{ proxy: 'ipvs' }, /--proxy takes no "ipvs"/],
])('%j is refused', (flags, message) => {
  expect(() => readSettings(flags)).toThrow(message);
});

test('settings read as a sentence', () => {
  expect(settingsText(readSettings({ workers: '2', proxy: 'none', 'ip-family': 'dual', 'host-firewall': true }))).toBe(
    'Kubernetes v1.35.4, 1 control plane, 2 workers, IPv4 and IPv6, no kube-proxy, a firewall on each node',
  );
});
