import { commentsOnly, lineOf } from './imports.ts'
import type { Source } from './sources.ts'

/** A word that our comments and documents do without, and what to say in its place. */
interface Avoided {
  readonly word: RegExp
  readonly instead: string
}

/** One word a concept: what stands here has been said in other words before, or leaves open who acts. */
const avoided: readonly Avoided[] = [
  { word: /\b(?:some|any|no|every)body\b|\bwhoever\b|\bsomeone\b/gi, instead: 'name who it is' },
  { word: /\b(?:server|client|this|which|other) rooms?\b|\brooms\b/gi, instead: 'module' },
  { word: /\bfloors?\b/gi, instead: 'layer' },
  { word: /\bcollector of garbage\b/gi, instead: 'garbage collector' },
]

/** Comments of source files and lines of documents that use an avoided word. */
export function checkProse(
  sources: readonly Source[],
  documents: readonly Source[],
): readonly string[] {
  const comments = sources
    .filter(({ path }) => !path.startsWith('test/') && !/(^|\/)generated\//.test(path))
    .map(({ path, text }) => ({ path, text: commentsOnly(text) }))
  return [...comments, ...documents].flatMap(({ path, text }) =>
    avoided.flatMap(({ word, instead }) =>
      [...text.matchAll(word)].map(
        (match) => `${path}:${lineOf(text, match.index)}: "${match[0]}": ${instead}`,
      ),
    ),
  )
}
