import type { ControllerFacts } from '../kernel/descriptors/controller-facts.ts'

/** The controllers as the help of a program lists them: the name and the older one, and what it takes that one runs. */
export function controllerHelp(controllers: readonly ControllerFacts[]): string {
  const rows = controllers.map(
    (one) => [one.controller, one.alias ?? '', conditionOf(one)] as const,
  )
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length))
  const [names, aliases] = [width(0), width(1)]
  const lines = rows.map(([name, alias, condition]) =>
    `  ${name.padEnd(names)}  ${alias.padEnd(aliases)}  ${condition}`.trimEnd(),
  )
  return `Controllers, and their older names:\n\n${lines.join('\n')}\n`
}

function conditionOf({ off, cloud, gates = [] }: ControllerFacts): string {
  if (off === true) return 'off unless named'
  if (cloud === true) return 'needs a cloud provider'
  return gates.length === 0 ? '' : `needs ${gates.join(', ')}`
}
