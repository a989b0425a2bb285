import { RefusedError } from '../../core/errors.ts';
import type { Bootstrapper } from '../bootstrapper.ts';
import { aksBootstrapper } from './bootstrapper.ts';
import type { AKSOptions } from './options.ts';
import type { ProfileName } from './profiles.ts';

/** How {@link AKS} treats its options. */
export interface AKSSettings {
  /** @default 'aks/v1.14' */
  readonly bootstrapper?: ProfileName;
  /** Findings about meaning do not refuse the options, and values are those of the Go package. @default false */
  readonly lenient?: boolean;
}

/** The bootstrapper of AKS nodes: `new AKS(options).script()`. */
export class AKS implements Bootstrapper {
  readonly #options: AKSOptions;
  readonly #settings: AKSSettings;

  constructor(options: AKSOptions, settings: AKSSettings = {}) {
    this.#options = options;
    this.#settings = settings;
  }

  /**
   * The script in base64, as a virtual machine's custom data takes it.
   *
   * @throws RefusedError when the options are refused; its `problems` name each field.
   */
  script(): string {
    const { bootstrapper = 'aks/v1.14', lenient = false } = this.#settings;
    const { node, problems } = aksBootstrapper(bootstrapper).assess(this.#options, { lenient });
    if (node === undefined) throw new RefusedError(problems);
    return node.base64;
  }
}
