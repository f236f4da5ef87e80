/** Names that SPDY/3 expects in headers, in the order of its dictionary. */
const NAMES = [
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age',
  'allow authorization cache-control connection content-base content-encoding content-language content-length',
  'content-location content-md5 content-range content-type date etag expect expires from host if-match',
  'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma',
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade',
  'user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie',
  'keep-alive origin',
] as const;

/** Values that SPDY/3 expects in headers. */
const VALUES = [
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Au',
  'thoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidd',
  'en404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr Ma',
  'y Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,imag',
  'e/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicpri',
  'vatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.',
] as const;

/** Returns the dictionary by which SPDY/3 compresses headers: names with their lengths, and then texts. */
function createDictionary(): Buffer {
  const names = NAMES.join(' ')
    .split(' ')
    .map((word) => Buffer.from(word.replace('_', ' ')));
  const parts = names.flatMap((name) => [lengthOf(name), name]);
  return Buffer.concat([...parts, Buffer.from(VALUES.join(''))]);
}

function lengthOf(name: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(name.length);
  return length;
}

export const SPDY_DICTIONARY = createDictionary();
