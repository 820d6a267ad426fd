import { withoutTexts } from './imports.ts'
import type { Source } from './sources.ts'

const reexport = /^export\s[^;]*?\bfrom\s*'/m
const declaration =
  /^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function|class|interface|const|let|type\s+\w+\s*(?:=|<)|enum)\b/m

/**
 * Files that other modules enter by, `<folder>/<folder>.ts`, and that both declare something and re-export something else. Such
 * a file is imported by what it re-exports, and the whole module becomes one circle: a contract and an index are two files.
 */
export function checkIndexes(sources: readonly Source[]): readonly string[] {
  return sources.filter(isEntry).flatMap(({ path, text }) => {
    const code = withoutTexts(text)
    if (!reexport.test(code) || !declaration.test(code)) return []
    return [
      `${path}: is an index and declares something as well: give the contract a file of its own`,
    ]
  })
}

function isEntry({ path }: Source): boolean {
  const [file, folder] = path.split('/').reverse()
  return file === `${folder}.ts` && !path.startsWith('test/') && !path.startsWith('generated/')
}
