/** Which objects of a collection are meant; without any selector, all of them. */
export interface Selection {
  /** Labels that objects must have: `app=web,tier in (front, back),!canary`. */
  readonly labelSelector?: string
  /** Values that fields must have: `metadata.name=web`, `status.phase!=Running`. Each kind says which fields. */
  readonly fieldSelector?: string
}

/** What of a collection is read, and in which portions. */
export interface ListOptions extends Selection {
  /** Asks for the metadata of the objects only: what a server sends all the same is left out. Default false. */
  readonly metadataOnly?: boolean
  /** Most objects of a request, fewer where they are large. Default 500. */
  readonly pageSize?: number
  /** The revision as of which they are read, if the server still has it: else `Expired`. Default: the latest one. */
  readonly at?: string
}

/** Where a watch begins, and what of the collection it sees. */
export interface WatchOptions extends Selection {
  /** Asks for the metadata of the objects only: what a server sends all the same is left out. Default false. */
  readonly metadataOnly?: boolean
  /** Changes after this revision; without it, the present objects first, as ADDED. */
  readonly resourceVersion?: string
  /** Ask for BOOKMARK events, which say how far the stream has come. Default false. */
  readonly bookmarks?: boolean
  /** Seconds that the server keeps the stream open; without it, the server decides. */
  readonly timeoutSeconds?: number
}

/** What all writes have in common. */
export interface WriteOptions {
  /** Check everything, store nothing. Default false. */
  readonly dryRun?: boolean
  /** What the server does about fields it does not know: nothing, warn, or refuse the write. Default: it warns. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

/** What part of an object a write is about. */
export interface UpdateOptions extends WriteOptions {
  /** Writes a subresource of the kind instead of the object itself: `status`, `scale`. */
  readonly subresource?: string
}

/** What part of an object a patch is about. */
export type PatchOptions = UpdateOptions

/** Whose fields an apply is about. */
export interface ApplyOptions extends PatchOptions {
  /** Whose configuration it is. Default: the client's own manager. */
  readonly manager?: string
  /** Takes fields from managers that want another value. Default: such an apply fails `Conflict`. */
  readonly force?: boolean
}

/** How an object goes. */
export interface DeleteOptions {
  /** Check everything, delete nothing. Default false. */
  readonly dryRun?: boolean
  /** Seconds that the object may take to end. Default: what its kind says. */
  readonly gracePeriodSeconds?: number
  /** What becomes of the objects that it owns. Default: what its kind says. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  /** Fails `Conflict` if the object has changed since the given one was read. Default false. */
  readonly unchanged?: boolean
}
