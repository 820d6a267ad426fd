import type { ControllerGraph, GraphKind, Wake } from '../reconcile/reconcile.ts'

/** The forms in which a graph is printed: for people, for a page in Markdown, for Graphviz. */
export const graphFormats = ['text', 'mermaid', 'dot'] as const

/** A form of `graphFormats`. */
export type GraphFormat = (typeof graphFormats)[number]

/**
 * A graph of controllers as text, as a Mermaid flowchart, or in the language of Graphviz. Dashed are wakes by `ensure` and `setStatus`,
 * which write only what differs.
 */
export function printGraph(graph: ControllerGraph, format: GraphFormat = 'text'): string {
  if (format === 'mermaid') return printMermaid(graph)
  return format === 'dot' ? printDot(graph) : printText(graph)
}

function printText({ controllers, wakes, findings }: ControllerGraph): string {
  const parts = controllers.map(({ name, wokenBy, writes }) => {
    const woken = wakes.filter(({ from }) => from === name)
    return [
      name,
      ...row('woken by', wokenBy.map(kindText)),
      ...row(
        'writes',
        writes.map((one) => `${kindText(one)} (${one.by})`),
      ),
      ...row(
        'wakes',
        woken.map((one) => `${one.to === name ? 'itself' : one.to} by ${labelOf(one)}`),
      ),
    ].join('\n')
  })
  const told = findings.map(({ is, message }) => `${is}: ${message}`)
  return `${[...parts, ...(told.length > 0 ? [told.join('\n')] : [])].join('\n\n')}\n`
}

function row(title: string, values: readonly string[]): readonly string[] {
  return [...new Set(values)].map((value, at) => `  ${(at === 0 ? title : '').padEnd(9)}${value}`)
}

function kindText({ kind, fields }: GraphKind): string {
  if (fields === undefined) return kind
  return `${kind}: ${fields.length === 0 ? 'no field' : fields.join(', ')}`
}

/** What wakes, on an arrow. */
function labelOf({ kind, fields }: Wake): string {
  if (fields === undefined) return kind
  return fields.length === 0 ? `${kind} that comes or goes` : `${kind}: ${fields.join(', ')}`
}

function isDashed({ by }: Wake): boolean {
  return by === 'ensure' || by === 'setStatus'
}

function printMermaid({ controllers, wakes }: ControllerGraph): string {
  const ids = new Map(controllers.map(({ name }, at) => [name, `c${at}`]))
  const quoted = (text: string) => `"${text.replaceAll('"', '#quot;')}"`
  const lines = [
    ...controllers.map(({ name }) => `${ids.get(name)}[${quoted(name)}]`),
    ...wakes.map(
      (one) =>
        `${ids.get(one.from)} ${isDashed(one) ? '-.->' : '-->'}|${quoted(labelOf(one))}| ${ids.get(one.to)}`,
    ),
  ]
  return ['flowchart LR', ...[...new Set(lines)].map((line) => `  ${line}`), ''].join('\n')
}

function printDot({ controllers, wakes }: ControllerGraph): string {
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  const lines = [
    ...controllers.map(({ name }) => `${quoted(name)};`),
    ...wakes.map((one) => {
      const style = isDashed(one) ? ', style=dashed' : ''
      return `${quoted(one.from)} -> ${quoted(one.to)} [label=${quoted(labelOf(one))}${style}];`
    }),
  ]
  return ['digraph controllers {', ...[...new Set(lines)].map((line) => `  ${line}`), '}', ''].join(
    '\n',
  )
}
