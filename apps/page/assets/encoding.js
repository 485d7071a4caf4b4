// The text of a file in any encoding that players use.

/** The encodings to choose from. Of those that are not Unicode, the one that fits best is guessed. */
export const ENCODINGS = ["utf-8", "windows-1252", "windows-1251", "koi8-r", "ibm866", "windows-874", "utf-16le", "utf-16be"];

/** Letters that are frequent in Russian and in Thai, and rare where another encoding is read as theirs. */
const FREQUENT = { "windows-1251": /[оеаинтрсв]/g, "koi8-r": /[оеаинтрсв]/g, ibm866: /[оеаинтрсв]/g, "windows-874": /[านรอกเงมย]/g };
/** Letters in a row that other scripts have and Latin ones hardly. */
const FOREIGN_WORD = /[\u0400-\u04ff\u0e00-\u0e7f]{3,}/g;

/** The text of bytes and its encoding: the stated one, or one that is found. */
export function decoded(bytes, stated = null) {
  const encoding = stated ?? unicode(bytes) ?? guessed(bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

/** The encoding of a text in Unicode: UTF-16 has a mark, or zero bytes in every second place. */
function unicode(bytes) {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second)) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return null;
  }
}

function guessed(bytes) {
  const score = (encoding) => {
    const found = new TextDecoder(encoding).decode(bytes).match(FOREIGN_WORD) ?? [];
    return found.join("").match(FREQUENT[encoding])?.length ?? 0;
  };
  const high = bytes.filter((byte) => byte >= 0x80).length;
  const [best, count] = Object.keys(FREQUENT).map((encoding) => [encoding, score(encoding)]).reduce((a, b) => (b[1] > a[1] ? b : a));
  return count > high / 4 ? best : "windows-1252";
}
