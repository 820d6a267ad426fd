import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Attributes, Recorder, ResourceOperation } from './attributes.ts'
import type { PluginContext } from './plugin-context.ts'

/** An admission plugin. It rejects a request by throwing a StatusError. */
export interface AdmissionPlugin {
  /**
   * Whether the plugin handles such requests. The chain remembers the answer for each operation, resource and subresource,
   * so that it may depend on nothing else.
   */
  readonly handles: (request: ResourceOperation) => boolean
  /**
   * Returns the object to go on with, the same reference if nothing changes. The object comes before defaults and validation;
   * a deletion has none. Runs a second time if a later plugin asks for it (`ReinvocationContext`).
   */
  readonly mutate?: (
    attributes: Attributes,
    recorder: Recorder,
    reinvocation: ReinvocationContext,
  ) => Awaitable<ApiObject | undefined>
  /** Checks the object as it will be stored. Runs once, after every mutating plugin. */
  readonly validate?: (attributes: Attributes, recorder: Recorder) => Awaitable<void>
  /** Closes connections and timers when the server stops. */
  readonly close?: () => void
}

/** Creates a plugin for one server. Called once, before the server serves. */
export type PluginFactory = (context: PluginContext) => AdmissionPlugin

/**
 * The reinvocation of mutating plugins. They run at most twice: a plugin asks for the second run if it changed what plugins
 * before it have already seen.
 */
export interface ReinvocationContext {
  /** True in the second run. */
  readonly isReinvoke: boolean
  /** What plugins keep between the two runs, under keys of their own. */
  readonly values: Map<unknown, unknown>
  /** Asks for the second run; without effect in the second run itself. */
  setShouldReinvoke(): void
}
