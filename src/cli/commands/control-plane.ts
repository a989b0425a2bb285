// Everything for control planes, which is bundled apart: who renders a node need not load it.
export { controlPlaneConvert } from './control-plane-convert.ts';
export { controlPlaneRehearse } from './control-plane-rehearse.ts';
