/** What programs do that are only simulated. */
import type { ContainerConfig } from '../contract/container.ts'

/** What the program of a container does. */
export interface SimulatedProgram {
  /** What it writes as it starts. */
  readonly lines?: readonly SimulatedLine[]
  /** What it writes again and again. */
  readonly repeats?: SimulatedLine & { readonly everyMs: number }
  /** When it ends by itself; never where nothing is said. */
  readonly endsAfterMs?: number
  /** How it ends then. */
  readonly exitCode?: number
  /** How it ends when it is asked to; one that is deaf has to be killed. */
  readonly onTerm?: number | 'deaf'
  /** Why it does not start. */
  readonly refusal?: string
}

export interface SimulatedLine {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** What a command does beside the program of a container. */
export interface SimulatedCommand {
  readonly stdout?: string
  readonly stderr?: string
  readonly exitCode?: number
  /** How long it takes. */
  readonly takesMs?: number
  /** Why it does not start. */
  readonly refusal?: string
}

/** What is simulated; what is left out runs until it is asked to end, and commands end well at once. */
export interface SimulatedPrograms {
  program?(config: ContainerConfig): SimulatedProgram
  command?(config: ContainerConfig, words: readonly string[]): SimulatedCommand
  /** Whether a registry has an image. */
  hasImage?(reference: string): boolean
}
