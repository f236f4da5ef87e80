import type { Duplex } from 'node:stream';
import type { Pod } from './kinds/pod.ts';

/** Interface of an API server to the runtimes of pods: a fleet in the same process, or nodes elsewhere. */
export interface NodeRuntime {
  /**
   * Returns the log of a container of a pod that is bound to a node, or undefined if it is unknown. The caller selects
   * and formats the lines; the options of the request may be used to read less.
   */
  logs(request: LogRequest): ContainerLog | undefined | Promise<ContainerLog | undefined>;
  /** Connects to the terminal of a container. Like the following ones, it rejects with a KubeError. */
  attach?(request: AttachRequest): Promise<Duplex>;
  /** Runs a command in a container, and resolves when it has ended. */
  exec?(request: ExecRequest): Promise<ExecResult>;
  /** Connects to a TCP port of a pod. */
  connect?(pod: Pod, port: number): Promise<Duplex>;
}

export interface AttachRequest {
  readonly pod: Pod;
  readonly container: string;
  /** The client may type. */
  readonly stdin: boolean;
}

export interface ExecRequest {
  readonly pod: Pod;
  readonly container: string;
  readonly command: readonly string[];
  readonly tty: boolean;
  /** All input of the command, if it gets any. */
  readonly stdin?: () => Promise<Uint8Array>;
  /** Aborted when nobody waits for the command any more. */
  readonly signal: AbortSignal;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

export interface LogRequest {
  readonly pod: Pod;
  readonly container: string;
  /** Requests the log of the previous run. */
  readonly previous: boolean;
  /** Requests new lines as they come. */
  readonly follow: boolean;
  /** Maximum number of existing lines that are needed. */
  readonly tailLines?: number;
  /** Earliest time of the lines that are needed, in milliseconds. */
  readonly since?: number;
  /** Signal that is aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

export interface ContainerLog {
  /** Existing lines, in order. */
  readonly lines: Iterable<LogLine> | AsyncIterable<LogLine>;
  /** New lines until the container ends or the signal is aborted. Absent if there will be none. */
  readonly following?: AsyncIterable<LogLine>;
}

export interface LogLine {
  /** Time of the line, in milliseconds. */
  readonly time: number;
  /** Text without the line break. */
  readonly text: string;
}
