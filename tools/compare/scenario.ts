import type { Api } from '../../codegen/schema/ir.ts'
import type { Json } from '../../runtime/kernel/values/json.ts'
import type { Random } from './random.ts'

/** The methods of requests; `SEARCH` stands for those that no route has. */
export type Method =
  | 'GET'
  | 'HEAD'
  | 'POST'
  | 'PUT'
  | 'PATCH'
  | 'DELETE'
  | 'OPTIONS'
  | 'TRACE'
  | 'SEARCH'

/** One request of a scenario, as data: it can be printed, shrunk and sent again. */
export interface Step {
  readonly method: Method
  /** Sent as it is, so that it may be encoded in any way and have a query of its own. */
  readonly path: string
  /** Query parameters in their order. */
  readonly query?: Readonly<Record<string, string>>
  /** The media type of the body; JSON without it. */
  readonly type?: string
  /** JSON without it; with the empty text none is sent. */
  readonly accept?: string
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * `$resourceVersion` and `$uid` in it, in the query and in headers stand for what the server last said of the object,
   * `$firstRevision` for the first revision that it named, `$etag` for the last entity tag, `$continue` for the last token of a list.
   */
  readonly body?: Json
  /** A body that is not JSON, sent as it is. */
  readonly text?: string
  /** The answer is a stream, read until an event of this type comes. */
  readonly until?: 'DELETED'
  /** Of a success status and headers are compared: its body may go on, or is in words of its own. */
  readonly headOnly?: true
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

/** What a family of scenarios is called on the command line. */
export type ClassName =
  | 'documents'
  | 'requests'
  | 'objects'
  | 'metadata'
  | 'sequences'
  | 'customs'
  | 'lists'
  | 'definitions'
  | 'expressions'

/** A family of scenarios with its way to make them. */
export interface ScenarioClass {
  readonly name: ClassName
  /** Shown by --help. */
  readonly about: string
  /** What both servers are asked before the first scenario and after the last: what all scenarios share. */
  before?(context: ScenarioContext): readonly Step[]
  after?(context: ScenarioContext): readonly Step[]
  prepare(context: ScenarioContext): Promise<MakeScenario> | MakeScenario
}
