import type { Spot } from './sourced.ts'

/** What is wrong with a configuration. */
export interface Problem {
  readonly rule: 'build.module' | 'build.value' | 'build.conflict'
  readonly message: string
  readonly at?: Spot
  readonly related?: readonly { readonly message: string; readonly at: Spot }[]
}
