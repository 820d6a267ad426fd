/** A script that says where its objects come from, and that stops when it runs too long. */
import { type AnyNode, parse } from 'acorn'

/** A line and a column of a script, both counted from 1. */
export type Point = readonly [line: number, column: number]

/** Where an object literal stands, and its keys. */
export interface Literal {
  readonly at: Point
  readonly keys: Readonly<Record<string, Point>>
  /** How many other objects are spread into it. */
  readonly spreads: number
}

/** A script with calls in it, and what their numbers mean. */
export interface Instrumented {
  readonly code: string
  readonly literals: readonly Literal[]
  readonly lists: readonly (readonly Point[])[]
  readonly loops: readonly Point[]
  /** The place in the script as it was, of one in the script as it is. */
  readonly original: (point: Point) => Point
}

interface Insertion {
  readonly at: number
  readonly text: string
  /** Of what stands at one place, what closes comes before what opens. */
  readonly order: number
}

/** Puts the calls in: `$at` around object literals, `$in` around lists, `$from` around what is spread, `$tick` into loops. */
export function instrument(script: string): Instrumented {
  const tree = parse(script, { ecmaVersion: 'latest', sourceType: 'script', locations: true })
  const literals: Literal[] = []
  const lists: (readonly Point[])[] = []
  const loops: Point[] = []
  const insertions: Insertion[] = []
  const around = ({ start, end }: AnyNode, head: string, tail: string) => {
    insertions.push({ at: start, text: head, order: end }, { at: end, text: tail, order: -start })
  }
  for (const node of nodesOf(tree)) {
    if (node.type === 'ObjectExpression') {
      around(node, `$at(${literals.length},`, ')')
      literals.push(literalOf(node))
      for (const one of node.properties) {
        if (one.type === 'SpreadElement') around(one.argument, '$from(', ')')
      }
    } else if (node.type === 'ArrayExpression' && node.elements.every(isPlain)) {
      around(node, `$in(${lists.length},`, ')')
      lists.push(node.elements.map((one) => pointOf(one as AnyNode)))
    } else if ('body' in node && /^(For|While|DoWhile)/.test(node.type)) {
      const { body } = node as unknown as { readonly body: AnyNode }
      around(body, `{$tick(${loops.length});`, '}')
      loops.push(pointOf(node))
    }
  }
  insertions.sort(
    (a, b) =>
      a.at - b.at || sign(a) - sign(b) || (sign(a) === 1 ? b.order - a.order : a.order - b.order),
  )
  const code = inserted(script, insertions)
  return { code, literals, lists, loops, original: shifted(script, insertions) }
}

function isPlain(element: unknown): boolean {
  return element !== null && (element as AnyNode).type !== 'SpreadElement'
}

/** 0 for what closes, 1 for what opens. */
function sign({ order }: Insertion): number {
  return order > 0 ? 1 : 0
}

function literalOf(node: Extract<AnyNode, { type: 'ObjectExpression' }>): Literal {
  const keys: Record<string, Point> = Object.create(null)
  let spreads = 0
  for (const one of node.properties) {
    if (one.type === 'SpreadElement') spreads++
    else if (!one.computed && one.key.type === 'Identifier') keys[one.key.name] = pointOf(one)
    else if (one.key.type === 'Literal') keys[String(one.key.value)] = pointOf(one)
  }
  return { at: pointOf(node), keys, spreads }
}

function pointOf(node: AnyNode): Point {
  const { line = 1, column = 0 } = node.loc?.start ?? {}
  return [line, column + 1]
}

/** Every node of a tree, without recursion: programs nest deeply. */
function* nodesOf(root: AnyNode): Iterable<AnyNode> {
  const open: AnyNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    for (const value of Object.values(node)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (typeof one?.type === 'string') open.push(one)
      }
    }
  }
}

function inserted(script: string, insertions: readonly Insertion[]): string {
  const parts: string[] = []
  let from = 0
  for (const { at, text } of insertions) {
    parts.push(script.slice(from, at), text)
    from = at
  }
  return [...parts, script.slice(from)].join('')
}

/** Insertions have no line breaks: lines stay, columns move by what stands before them in the line. */
function shifted(script: string, insertions: readonly Insertion[]): Instrumented['original'] {
  return ([line, column]) => {
    const start = script.split('\n', line - 1).reduce((sum, one) => sum + one.length + 1, 0)
    let moved = column
    for (const { at, text } of insertions) {
      if (at < start) continue
      if (at - start >= moved - 1) break
      moved = Math.max(at - start + 1, moved - text.length)
    }
    return [line, moved]
  }
}
