/** What one object and one request cost, as `npm run bench -- "many objects"` measured it. */
export interface Costs {
  /** MiB of a server that has nothing in memory but its own. */
  readonly emptyMiB: number
  /** Bytes of memory of an object that is kept, beside those that it has itself. */
  readonly keptBytes: number
  /** Bytes of the database for a small object, beside its own. */
  readonly storedBytes: number
  /** Microseconds of a processor that a start takes for an object that is kept. */
  readonly startUs: number
  /** Milliseconds of a processor of the server, by what is asked. A page has 500 objects. */
  readonly kept: Requests
  readonly uncached: Requests
  /** Milliseconds of a processor of each other server, for a write. */
  readonly followed: number
  /** Milliseconds of a processor of the database. */
  readonly database: Requests
}

/** Milliseconds of each kind of request. */
export interface Requests {
  readonly get: number
  readonly page: number
  readonly write: number
}
