/** The path types of the published documents, made by openapi-typescript: a second, independent producer. */
import type { TextArtefact } from '../artefact.ts'
import { type Document, fileOf } from './documents.ts'

/** One module for each document. Loads the compiler, which takes half a second: only a tree that keeps them asks. */
export async function pathTypesOf(
  documents: readonly Document[],
): Promise<readonly TextArtefact[]> {
  const { default: generate, astToString } = await import('openapi-typescript')
  const modules: TextArtefact[] = []
  for (const { key, from, document } of documents) {
    const text = astToString(await generate(JSON.stringify(document)))
    modules.push({ is: 'text', path: `openapi/paths/${fileOf(key)}.ts`, from, text })
  }
  return modules
}
