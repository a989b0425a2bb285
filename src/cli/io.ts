/** The outside of the command: nothing else of the process is used by commands. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** Hears of Ctrl-C and of SIGTERM, which end the program no longer then. Returns what ends that. */
  readonly onInterrupt?: (listener: () => void) => () => void;
  /** Ends the program at once, whatever goes on. */
  readonly exit?: (status: Status) => void;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Of a terminal, as it is now. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Exit statuses of the command. */
export const STATUS = {
  done: 0,
  failed: 1,
  /** Wrong usage or refused input. */
  refused: 2,
  /** Refused before anything was changed. */
  preflight: 3,
  /** Stopped on the way. */
  stopped: 4,
  /** What was there before serves again. */
  undone: 5,
  /** Ended by Ctrl-C before anything was changed. */
  interrupted: 130,
} as const;

export type Status = (typeof STATUS)[keyof typeof STATUS];

/** A subcommand. */
export interface Command {
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What `--help` prints, examples first. */
  readonly help: string;
  run(args: readonly string[], io: Io): Promise<Status>;
}
