/** Puts values in place of `$(NAME)`; `$$` is one `$`, and a name without a value stays as it is written. */
export function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:\$|\(([^()]*)\))/g, (match, name: string | undefined) =>
    name === undefined ? '$' : (values.get(name) ?? match),
  )
}
