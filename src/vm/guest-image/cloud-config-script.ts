/**
 * Translates the parts of #cloud-config that the guest understands into a shell script: hostname, ssh_authorized_keys,
 * write_files (path, content, permissions, encoding b64) and runcmd, whose commands it writes to the file `commands`. It
 * reads block sequences, block scalars and quoted text, which is what people write, and reports every other key.
 */
export const CLOUD_CONFIG_AWK = String.raw`
function quote(text) { gsub(/'/, "'\\''", text); return "'" text "'" }
function trim(text) { sub(/^[ \t]+/, "", text); sub(/[ \t\r]+$/, "", text); return text }
function scalar(text) {
  text = trim(text)
  if (text ~ /^("[^"]*"|'[^']*')[ \t]+#/) sub(/[ \t]+#[^"']*$/, "", text)
  if (text ~ /^".*"$/) {
    text = substr(text, 2, length(text) - 2)
    gsub(/\\n/, "\n", text); gsub(/\\t/, "\t", text); gsub(/\\"/, "\"", text); gsub(/\\\\/, "\\", text)
  } else if (text ~ /^'.*'$/) {
    text = substr(text, 2, length(text) - 2)
    gsub(/''/, "'", text)
  } else sub(/[ \t]+#.*$/, "", text)
  return text
}
# Returns the elements of [a, "b", 'c'] as words of a shell.
function words(text,   result, part, mark, end) {
  text = trim(substr(text, 2))
  while (text != "" && text !~ /^\]/) {
    mark = substr(text, 1, 1)
    if (mark == "\"" || mark == "'") end = index(substr(text, 2), mark) + 1
    else { match(text, /[],]/); end = RSTART > 0 ? RSTART - 1 : length(text) }
    part = substr(text, 1, end)
    result = result " " quote(scalar(part))
    text = trim(substr(text, end + 1))
    sub(/^,[ \t]*/, "", text)
  }
  return substr(result, 2)
}
function command(text) { return text ~ /^\[/ ? words(text) : "sh -c " quote(scalar(text)) }
function put_file() {
  if (file["path"] != "") {
    print "put " quote(file["path"]) " " quote(file["permissions"]) " " quote(file["encoding"]) " " quote(file["content"])
  }
  split("", file)
}
# Uses a value of the current key: an item of a list, or a field of a file.
function take(field, text, is_block) {
  if (key == "runcmd") print (is_block ? "sh -c " quote(text) : command(text)) >commands
  else if (key == "ssh_authorized_keys") print "authorize " quote(is_block ? text : scalar(text))
  else if (key == "write_files" && field != "") file[field] = is_block ? text : scalar(text)
}
# Takes a value, or the block that follows it.
function value(field, text, indent) {
  text = trim(text)
  if (text !~ /^[|>][-+0-9]*$/) { take(field, text, 0); return }
  in_block = 1; block_field = field; block_parent = indent; block_indent = -1; block = ""
  keeps_end = text !~ /-/
}
function end_block() {
  in_block = 0
  sub(/\n+$/, "", block)
  take(block_field, block (keeps_end ? "\n" : ""), 1)
}
function indent_of(line) { match(line, /[^ ]/); return RSTART - 1 }
in_block {
  if ($0 ~ /^[ \t]*$/) { block = block "\n"; next }
  if (indent_of($0) > block_parent) {
    if (block_indent < 0) block_indent = indent_of($0)
    block = block substr($0, block_indent + 1) "\n"
    next
  }
  end_block()
}
/^[ \t]*(#.*)?$/ { next }
/^[A-Za-z_]+:/ {
  put_file()
  key = substr($0, 1, index($0, ":") - 1)
  text = trim(substr($0, index($0, ":") + 1))
  if (key == "hostname") print "hostname " quote(scalar(text))
  else if (key !~ /^(ssh_authorized_keys|write_files|runcmd)$/) {
    print "echo " quote("cloud-config: this guest does not support " key) " >/dev/console"
  } else if (text != "") value("", text, 0)
  next
}
/^ *- / {
  indent = indent_of($0)
  text = substr($0, indent + 3)
  if (key != "write_files") { value("", text, indent); next }
  put_file()
  indent += 2
  sub(/^ *- +/, "")
  field = substr($0, 1, index($0, ":") - 1)
  value(field, substr($0, index($0, ":") + 1), indent)
  next
}
key == "write_files" && /^ +[a-z]+:/ {
  indent = indent_of($0)
  text = trim($0)
  value(substr(text, 1, index(text, ":") - 1), substr(text, index(text, ":") + 1), indent)
}
END { if (in_block) end_block(); put_file() }
`;
