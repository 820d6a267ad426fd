import { withContainerd } from '../../tools/containerd.ts'
import { type Finished, runProgram } from './orch.ts'

export { whyNoContainerd } from '../../tools/containerd.ts'

/** Runs a command with a containerd of its own to its end. */
export function runWithContainerd(folder: string, command: readonly string[]): Promise<Finished> {
  const { program, words, env } = withContainerd(folder, command)
  return runProgram(program, words, { env })
}
