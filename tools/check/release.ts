/** The schemas against those of the last release: what was promised there is kept (document 1, section 9). */
import { join } from 'node:path'
import { type GenerateOptions, generateAgainst, packageRoot } from '../../codegen/main.ts'
import { BaseUnreadableError, readBase } from '../orch/base.ts'
import { repositoryOf } from '../orch/git.ts'

/** What came of a check. The note says what was compared, or that there was nothing to compare. */
export interface Checked {
  readonly problems: readonly string[]
  readonly note?: string
}

/**
 * Compares schemas with those of the last release: of the highest tag `v<number>...` that HEAD has behind it. That there is
 * none yet, or no history to find it in, is no problem; one that cannot be read is.
 */
export async function checkRelease(options: GenerateOptions = {}): Promise<Checked> {
  const own = join(packageRoot, 'schemas')
  const { schemas = own, platform = join(own, 'platform/orch.yaml') } = options
  const repository = repositoryOf(schemas)
  if (typeof repository === 'string') return unknown(repository)
  const releases = repository.releases()
  if (typeof releases === 'string') return unknown(releases)
  const [tag] = releases
  if (tag === undefined) return { problems: [], note: 'there is no release to compare with' }
  try {
    const base = await readBase(`refs/tags/${tag}`, { schemas, platform })
    const {
      breakingChanges: breaches,
      report,
      unreadable: broken,
    } = await generateAgainst(options, base)
    if (broken === 'before') return { problems: [report, `the schemas of ${tag} do not load`] }
    if (broken === 'after') return { problems: [report, 'the schemas do not load'] }
    return { problems: breaches.length === 0 ? [] : [report], note: `compared with ${tag}` }
  } catch (error) {
    if (!(error instanceof BaseUnreadableError)) throw error
    return { problems: [error.message] }
  }
}

/** An unpacked archive has no history and a shallow clone only a part: the comparison is left to a full clone. */
function unknown(why: string): Checked {
  return { problems: [], note: `not compared with a release: ${why}` }
}
