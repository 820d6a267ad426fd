/** Readers report types as for a request body: `json: cannot unmarshal ...`. A file gets `must be a list, not a string`. */
export function typeMessage(message: string): string {
  const parts = /^json: cannot unmarshal (.*) into (?:field .*|a value) of type (.*)$/s.exec(
    message,
  )
  if (parts === null) return message
  const [, got = '', want = ''] = parts
  return `must be ${article(want)}, not ${/^["0-9-]|^number /.test(got) ? got : article(got)}`
}

/** The type with its article, by the name that a file of YAML has for it. */
function article(type: string): string {
  const words: Readonly<Record<string, string>> = {
    object: 'mapping',
    array: 'list',
    bool: 'boolean',
    'illegal base64 data': 'text that is none',
  }
  const word = words[type] ?? type
  return `${/^[aeio]/.test(word) ? 'an' : 'a'} ${word}`
}
