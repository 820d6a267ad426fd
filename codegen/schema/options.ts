import type { Report } from './finding.ts'
import type { OptionFacts, OptionSet } from './ir.ts'
import { isForeign, roleOf } from './layout.ts'
import type { Documents } from './load.ts'
import { get, items, type Node, plain, text } from './node.ts'
import { checkShape, inOrder, type Shape } from './shape.ts'

const setShape: Shape = { daemon: 'string!', description: 'string!', sections: 'list!' }
const sectionShape: Shape = { name: 'string!', options: 'list!' }
const optionShape: Shape = {
  flag: 'string!',
  shorthand: 'string',
  type: 'string!',
  default: 'any',
  values: 'strings',
  minimum: 'number',
  maximum: 'number',
  deprecated: 'string',
  hidden: 'boolean',
  description: 'string!',
}

/** The option sets of the flag files of the root that is generated. */
export function buildOptions({ documents }: Documents, report: Report): readonly OptionSet[] {
  return [...documents]
    .filter(([file]) => roleOf(file) === 'flags' && !isForeign(file))
    .filter(([, node]) => checkShape(node, 'a flag file', setShape, report))
    .map(([, node]) => ({
      daemon: text(get(node, 'daemon')) ?? '',
      description: text(get(node, 'description')) ?? '',
      sections: items(get(node, 'sections')).flatMap((section) => sectionOf(section, report)),
    }))
}

function sectionOf(node: Node, report: Report): OptionSet['sections'] {
  if (!checkShape(node, 'a section', sectionShape, report)) return []
  const options = items(get(node, 'options'))
    .filter((each) => checkShape(each, 'a flag', optionShape, report))
    .map((each): OptionFacts => {
      const at = get(each, 'flag')?.at ?? each.at
      return { ...inOrder(plain(each) as Omit<OptionFacts, 'at'>, optionShape), at }
    })
  return [{ name: text(get(node, 'name')) ?? '', options }]
}
