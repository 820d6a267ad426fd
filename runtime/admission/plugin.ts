import type { Awaitable } from '../kernel/awaitable.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Place, Subject, Voice } from './attempt.ts'
import type { World } from './world.ts'

/** One rule about requests. Refusing is throwing a StatusError. */
export interface Plugin {
  /** Whether it looks at such requests at all. Asked once for each place, so it depends on nothing else. */
  readonly handles: (place: Place) => boolean
  /** The object as it is to go on; the same object if nothing is changed. A deletion has none to change. */
  readonly mutate?: (
    subject: Subject,
    voice: Voice,
    round: Round,
  ) => Awaitable<ApiObject | undefined>
  /** Looks at the object as it will be stored. */
  readonly validate?: (subject: Subject, voice: Voice) => Awaitable<void>
  /** Ends what it holds open. */
  readonly close?: () => void
}

/** Makes a plugin for one server. */
export type PluginFactory = (world: World) => Plugin

/**
 * One way through the mutating plugins. There are two at most: a plugin may ask for the second one when it changed what
 * an earlier one has already seen.
 */
export interface Round {
  readonly again: boolean
  /** What plugins keep from the first round to the second, under keys of their own. */
  readonly memory: Map<unknown, unknown>
  askForAnother(): void
}
