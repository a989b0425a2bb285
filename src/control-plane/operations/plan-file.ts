import { isMapping } from '../../core/mapping.ts';
import { CONTROL_PLANE_COMPONENTS } from '../selfhosting/labels.ts';
import type { Plan } from './plan.ts';

/** Whether a document says that it is a plan. */
export function claimsPlan(value: unknown): boolean {
  return isMapping(value) && value['kind'] === 'ControlPlanePlan';
}

/** The plan that a document holds; nothing where a part is missing that a run goes by. */
export function planIn(value: unknown): Plan | undefined {
  if (!isMapping(value) || !claimsPlan(value) || value['apiVersion'] !== 'bootlace.io/v1') return undefined;
  const { change, node, fingerprint } = value;
  const isPlan = isChange(change) && typeof node === 'string' && typeof fingerprint === 'string';
  return isPlan ? (value as unknown as Plan) : undefined;
}

function isChange(value: unknown): boolean {
  if (!isMapping(value)) return false;
  const { verb, components, edits, relayPort, snapshot, force, updateKubeadmConfig } = value;
  const areFlags = [snapshot, force, updateKubeadmConfig].every((one) => one === undefined || typeof one === 'boolean');
  if (!areFlags || (relayPort !== undefined && !Number.isInteger(relayPort))) return false;
  if (verb === 'pivot') return true;
  return (
    verb === 'roll' &&
    Array.isArray(components) &&
    components.length > 0 &&
    components.every((name) => CONTROL_PLANE_COMPONENTS.includes(name as (typeof CONTROL_PLANE_COMPONENTS)[number])) &&
    isEdits(edits)
  );
}

function isEdits(value: unknown): boolean {
  if (!isMapping(value)) return false;
  const { setFlags = {}, removeFlags = [], image, pod } = value;
  return (
    isMapping(setFlags) &&
    Object.values(setFlags).every((one) => typeof one === 'string') &&
    Array.isArray(removeFlags) &&
    removeFlags.every((one) => typeof one === 'string') &&
    (image === undefined || typeof image === 'string') &&
    (pod === undefined || isMapping(pod))
  );
}
