import type { ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import type { Profile } from './profiles.ts';
import type { WellFormedOptions } from './read.ts';

/** Whether the node scripts set up a GPU. */
export function isGpuOn(options: WellFormedOptions, profile: Profile): boolean {
  return options.gpuNode === true && (!profile.gpuSwitch || options.gpuDriverInstallationEnabled === true);
}

const GPU_VALUES = ['gpuDriverVersion', 'gpuDriverType', 'gpuImageSHA'] as const;

export function checkGpu(options: WellFormedOptions, profile: Profile, problems: ProblemList): void {
  const isOn = isGpuOn(options, profile);
  for (const field of GPU_VALUES) {
    const value = options[field] ?? '';
    if (field === 'gpuDriverType' && !profile.gpuSwitch) continue;
    if (isOn && value === '') {
      problems.refuse(
        'GPU_INCOMPLETE',
        `/${field}`,
        'GPU set-up is on and the name of the driver image needs this value.',
        `Set \`${field}\`, or turn GPU set-up off.`,
      );
    } else if (!isOn && value !== '') {
      const why = options.gpuNode === true ? '`gpuDriverInstallationEnabled` is not true' : '`gpuNode` is not true';
      problems.warn(
        'GPU_UNUSED',
        `/${field}`,
        `GPU set-up is off (${why}), so that the value is not used.`,
        'Turn GPU set-up on, or remove the line.',
      );
    }
    if (/[^A-Za-z0-9_.-]/.test(value)) {
      problems.refuse(
        'CHARACTER_UNSAFE',
        `/${field}`,
        `${quoted(value)} cannot be a part of an image's name.`,
        'Write letters, digits, _ - and . alone.',
      );
    }
  }
}
