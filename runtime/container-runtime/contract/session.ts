import type { Readable, Writable } from 'node:stream'

/** What a command is run with beside the program of a container. */
export interface ExecOptions {
  readonly command: readonly string[]
  /** Whether it has a terminal: then there is one output only. */
  readonly tty: boolean
  readonly stdin: boolean
  /** Ends the command. */
  readonly signal?: AbortSignal
}

/** What of a running container is attached. */
export interface AttachOptions {
  readonly stdin: boolean
  /** Ends the session; the container goes on. */
  readonly signal?: AbortSignal
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** A command, or the program of a container, with its streams. */
export interface ContainerSession {
  /** Undefined where none was asked for, or the container reads none. */
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  /** Undefined with a terminal. */
  readonly stderr: Readable | undefined
  /** Resolves when it has ended and its outputs were read, to the exit code; to undefined if the session was closed before. */
  readonly ended: Promise<number | undefined>
  /** Has no effect without a terminal. */
  resize(size: TerminalSize): void
  /** Ends the session, and a command with it. */
  close(): void
}
