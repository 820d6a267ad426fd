/** Changes that end a finding: those that are safe, the nearest names, and a comment that suppresses it. */
import { nearestName } from '../../kernel/values/spelling.ts'
import type { Finding, TextEdit } from '../../validate/validate.ts'
import { schemaAt } from '../schema/value-schema.ts'
import { spotAt } from '../text/cursor.ts'
import { objectAt } from '../text/object-at.ts'
import type { OutlineDocument } from '../text/outline-nodes.ts'
import type { EditorContext } from '../workspace/names.ts'

/** A change that an author may choose. */
export interface QuickFix {
  readonly title: string
  readonly edits: readonly TextEdit[]
  /** It means what the author meant. */
  readonly isSafe: boolean
}

/** How long a new suppression lasts. */
const suppressedDays = 30

/** The changes for a finding of a text, the best first. */
export function quickFixes(
  finding: Finding,
  text: string,
  documents: readonly OutlineDocument[],
  today: string,
  { catalogue }: Pick<EditorContext, 'catalogue'>,
): readonly QuickFix[] {
  const { fix, at } = finding
  const safe = fix === undefined ? [] : [{ title: fix.title, edits: fix.edits, isSafe: true }]
  if (at === undefined || at.offset < 0) return safe
  return [
    ...safe,
    ...(fix === undefined ? nearest(finding) : []),
    ...otherValues(finding, documents, catalogue),
    ...suppressions(finding, text, documents, today),
  ]
}

/** The name that is nearest to one that leads nowhere. */
function nearest({ nearest: name, at }: Finding): readonly QuickFix[] {
  if (name === undefined || at === undefined) return []
  return [
    {
      title: `change to ${name}`,
      edits: [{ start: at.offset, end: at.end, text: name }],
      isSafe: false,
    },
  ]
}

/** The values that the schema has for a field with another one. */
function otherValues(
  { rule, at }: Finding,
  documents: readonly OutlineDocument[],
  catalogue: EditorContext['catalogue'],
): readonly QuickFix[] {
  if (rule !== 'field.not-supported' || at === undefined) return []
  const spot = spotAt(documents, at.offset)
  if (spot?.scalar === undefined) return []
  const { apiVersion = '', kind = '', path } = objectAt(spot.document, spot.path)
  const values = schemaAt(catalogue.root(apiVersion, kind), path)?.values ?? []
  const near = nearestName(spot.scalar.text, values)
  const ordered = near === undefined ? values : [near, ...values.filter((one) => one !== near)]
  return ordered.map((value) => ({
    title: `change to ${value}`,
    edits: [
      {
        start: at.offset,
        end: at.end,
        text: spot.scalar?.style === 'quoted' ? JSON.stringify(value) : value,
      },
    ],
    isSafe: false,
  }))
}

/** A comment above the line of the finding; JSON has none. */
function suppressions(
  { rule, at }: Finding,
  text: string,
  documents: readonly OutlineDocument[],
  today: string,
): readonly QuickFix[] {
  if (at === undefined || /^(text|suppression)\./.test(rule)) return []
  const document = documents.findLast(({ start }) => start <= at.offset)
  if (document?.value !== undefined && document.value.is !== 'scalar' && document.value.flow)
    return []
  const start = text.lastIndexOf('\n', at.offset - 1) + 1
  const [space = ''] = /^[ \t]*/.exec(text.slice(start, at.offset)) ?? []
  const until = new Date(Date.parse(today) + suppressedDays * 86_400_000).toISOString().slice(0, 10)
  const comment = `${space}# orch-ignore ${rule} until ${until}: state the reason here\n`
  return [
    {
      title: `suppress ${rule} here until ${until}`,
      edits: [{ start, end: start, text: comment }],
      isSafe: false,
    },
  ]
}
