import type { Api } from '../../codegen/schema/ir.ts'
import type { Json } from '../../runtime/kernel/values/json.ts'
import type { Random } from './random.ts'

/** One request of a scenario, as data: it can be printed, shrunk and sent again. */
export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Query parameters in their order. */
  readonly query?: Readonly<Record<string, string>>
  /** The media type of the body; JSON without it. */
  readonly type?: string
  readonly accept?: string
  /** `$resourceVersion` and `$uid` in it stand for what the server last said of the object. */
  readonly body?: Json
  /** A body that is not JSON, sent as it is. */
  readonly text?: string
  /** The answer is a stream, read until an event of this type comes. */
  readonly until?: 'DELETED'
  /** Sent again, for five seconds at most, until the answer has one of these statuses. */
  readonly awaits?: readonly number[]
  /** Keys of the answer that are not compared, wherever they stand: descriptions are in words of our own. */
  readonly ignores?: readonly string[]
  /** Done so that servers stay empty: its answer is not compared. */
  readonly silent?: true
}

/** Requests that are sent to both servers in this order, each after the answer to the one before. */
export interface Scenario {
  /** What the scenario is about, such as a kind: differences of equal subjects are told together. */
  readonly subject: string
  /** The reference tells the causes of an error in any order. */
  readonly anyOrder?: true
  /** All steps write and read one object: after the first answer that shows it to differ, the rest may be a consequence. */
  readonly oneObject?: true
  readonly steps: readonly Step[]
}

/** What scenarios are made from. */
export interface ScenarioContext {
  readonly api: Api
  /** A namespace that exists on both servers. */
  readonly namespace: string
}

/** Makes the scenario of a seed and an index. `name` is free on both servers. */
export type MakeScenario = (random: Random, name: string, index: number) => Scenario

/** A family of scenarios with its way to make them. */
export interface ScenarioClass {
  readonly name: 'objects' | 'sequences' | 'definitions' | 'expressions' | 'documents'
  /** Shown by --help. */
  readonly about: string
  prepare(context: ScenarioContext): Promise<MakeScenario> | MakeScenario
}
