// Everything for control planes, which is bundled apart: who renders a node need not load it.
export { controlPlaneConvert } from './control-plane-convert.ts';
export { controlPlaneRehearse } from './control-plane-rehearse.ts';
export { controlPlanePivot } from './control-plane-pivot.ts';
export { controlPlanePlan } from './control-plane-plan.ts';
export { controlPlaneResume } from './control-plane-resume.ts';
export { controlPlaneRoll } from './control-plane-roll.ts';
export { controlPlaneRollback } from './control-plane-rollback.ts';
export { controlPlaneStatus } from './control-plane-status.ts';
