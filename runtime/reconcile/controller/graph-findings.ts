/** What is odd about a graph of controllers. */
import type { GraphController, GraphFinding, GraphKind, Wake } from './graph-contract.ts'

/** Warnings, then notes. */
export function graphFindings(
  controllers: readonly GraphController[],
  wakes: readonly Wake[],
): readonly GraphFinding[] {
  const all = [
    ...controllers.flatMap(wokenByNothing),
    ...circles(wakes),
    ...controllers.flatMap((one) => unread(one, controllers)),
    ...undeclared(controllers),
  ]
  const of = (is: GraphFinding['is']) => all.filter((one) => one.is === is)
  return [...of('warning'), ...of('note')]
}

function wokenByNothing({
  name,
  wokenBy,
  hasOtherCauses,
}: GraphController): readonly GraphFinding[] {
  if (wokenBy.length > 0 || hasOtherCauses) return []
  const message = `nothing wakes ${name}: it has no watches, no seeds and no sources`
  return [{ is: 'warning', message, controllers: [name] }]
}

/** Circles of controllers that wake each other. What only comes or goes is none: it ends by itself. */
function circles(wakes: readonly Wake[]): readonly GraphFinding[] {
  const edges = wakes.filter(({ fields }) => fields === undefined || fields.length > 0)
  const quiet = edges.filter(isQuiet)
  const loud = edges.filter((one) => !isQuiet(one))
  const warnings = loud.map((edge) => circleThrough(edge, edges))
  const notes = quiet.map((edge) => {
    const circle = circleThrough(edge, quiet)
    return circle.length === 1
      ? quiet.filter((one) => isSelf(one) && one.from === edge.from)
      : circle
  })
  const found = [...warnings, ...notes].filter(({ length }) => length > 0)
  return [...new Map(found.map((circle) => [circleText(circle), circle]))].map(
    ([message, circle]) => ({
      is: circle.every(isQuiet) ? 'note' : 'warning',
      message,
      controllers: [...new Set(circle.map(({ from }) => from))],
    }),
  )
}

/** Written by means that compare first: a circle of these alone comes to rest. */
function isQuiet({ by }: Wake): boolean {
  return by === 'ensure' || by === 'setStatus'
}

function isSelf({ from, to }: Wake): boolean {
  return from === to
}

/** The shortest circle that an edge is part of, from the edge on that comes first of all; empty if there is none. */
function circleThrough(edge: Wake, edges: readonly Wake[]): readonly Wake[] {
  const ways: (readonly Wake[])[] = [[edge]]
  const seen = new Set([edge.to])
  for (const way of ways) {
    const at = way.at(-1)?.to
    if (at === edge.from) return fromFirst(way, edges)
    for (const next of edges) {
      if (next.from !== at || seen.has(next.to)) continue
      seen.add(next.to)
      ways.push([...way, next])
    }
  }
  return []
}

function fromFirst(circle: readonly Wake[], edges: readonly Wake[]): readonly Wake[] {
  const places = circle.map((one) => edges.indexOf(one))
  const first = places.indexOf(Math.min(...places))
  return [...circle.slice(first), ...circle.slice(0, first)]
}

function circleText(circle: readonly Wake[]): string {
  const [first] = circle
  const steps =
    first !== undefined && isSelf(first)
      ? `${first.from} wakes itself by ${circle.map(changeText).join(', ')}`
      : circle.map((one) => `${one.from} wakes ${one.to} by ${changeText(one)}`).join(', ')
  return circle.every(isQuiet)
    ? `${steps}: it ends, since ensure and setStatus write only what differs`
    : `${steps}: write only what differs, or leave the field out of the \`fields\` that wake`
}

function changeText({ kind, fields }: GraphKind): string {
  return fields === undefined ? kind : `${fields.join(' and ')} of ${kind}`
}

function unread(
  { name, writes }: GraphController,
  controllers: readonly GraphController[],
): readonly GraphFinding[] {
  const isRead = (kind: string) =>
    controllers.some(
      ({ reads, wokenBy }) => reads.includes(kind) || wokenBy.some((one) => one.kind === kind),
    )
  const kinds = new Set(writes.map(({ kind }) => kind).filter((kind) => !isRead(kind)))
  return [...kinds].map((kind) => ({
    is: 'note',
    message: `${name} writes ${kind}, which no controller watches or reads`,
    controllers: [name],
  }))
}

function undeclared(controllers: readonly GraphController[]): readonly GraphFinding[] {
  const names = controllers.filter(({ isDeclared }) => !isDeclared).map(({ name }) => name)
  if (names.length === 0) return []
  const write = names.length === 1 ? 'writes' : 'write'
  const message = `not known is what ${names.join(', ')} ${write} by \`client\`: declare \`reads\` and \`writes\``
  return [{ is: 'note', message, controllers: names }]
}
