import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Attributes, Recorder, ResourceOperation } from './attributes.ts'
import type { PluginContext } from './plugin-context.ts'

/** One rule about requests. Refusing is throwing a StatusError. */
export interface AdmissionPlugin {
  /** Whether it looks at such requests at all. Asked once for each place, so it depends on nothing else. */
  readonly handles: (place: ResourceOperation) => boolean
  /** The object as it is to go on; the same object if nothing is changed. A deletion has none to change. */
  readonly mutate?: (
    subject: Attributes,
    voice: Recorder,
    round: ReinvocationContext,
  ) => Awaitable<ApiObject | undefined>
  /** Looks at the object as it will be stored. */
  readonly validate?: (subject: Attributes, voice: Recorder) => Awaitable<void>
  /** Ends what it holds open. */
  readonly close?: () => void
}

/** Makes a plugin for one server. */
export type PluginFactory = (world: PluginContext) => AdmissionPlugin

/**
 * One way through the mutating plugins. There are two at most: a plugin may ask for the second one when it changed what
 * an earlier one has already seen.
 */
export interface ReinvocationContext {
  readonly isReinvoke: boolean
  /** What plugins keep from the first round to the second, under keys of their own. */
  readonly values: Map<unknown, unknown>
  setShouldReinvoke(): void
}
