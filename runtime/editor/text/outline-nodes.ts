/** The parts of an outline. Places are offsets in UTF-16 code units; they grow while a text is read, and are not changed afterwards. */

/** One document of a text. */
export interface OutlineDocument {
  readonly start: number
  readonly end: number
  readonly value?: OutlineNode
}

/** A map, a list or a scalar; discriminated by `is`. */
export type OutlineNode = OutlineMap | OutlineList | OutlineScalar

/** A map, in a block or in braces. */
export interface OutlineMap {
  readonly is: 'map'
  readonly entries: OutlineEntry[]
  /** The column of its keys; that of the brace of one in braces. */
  readonly indent: number
  readonly flow: boolean
  start: number
  end: number
}

/** A key with its value, as far as both are there. */
export interface OutlineEntry {
  /** Without its quotes. */
  readonly key: string
  readonly start: number
  readonly keyEnd: number
  /** The column of the key, for one of a block. */
  readonly column?: number
  /** Behind the colon; absent for a word that has none yet. */
  colon?: number
  value?: OutlineNode
  end: number
}

/** A list, of dashes or in brackets. */
export interface OutlineList {
  readonly is: 'list'
  readonly items: OutlineItem[]
  readonly indent: number
  readonly flow: boolean
  readonly start: number
  end: number
}

/** An item, from its dash on. */
export interface OutlineItem {
  readonly start: number
  value?: OutlineNode
  end: number
  /** A word that stands where a dash would. */
  readonly isLoose?: true
}

/** A value that is neither. */
export interface OutlineScalar {
  readonly is: 'scalar'
  /** Without its quotes; empty for the lines of a block. */
  readonly text: string
  readonly style: 'plain' | 'quoted' | 'block'
  readonly start: number
  end: number
  /** True for one that stands on a line of its own, at `column`. */
  ownLine?: boolean
  column?: number
}
