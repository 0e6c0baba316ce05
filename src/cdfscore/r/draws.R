# Read random draws from a file of whole numbers. The names of sets are the sizes of the samples of
# a test, such as "249" or "249 x 110", or "67 reference systems". Each set has offset (the byte at
# which its draws begin), trials (the number of draws), numbers (the count of numbers in a draw) and
# width (the bytes of a number, 0 for a bit). Returns a function draws(f, sizes), which applies f to
# blocks of draws, matrices with a column for each draw, and returns the list of results.
draws_from <- function(path, sets) {
  if (length(sets) && !(is.character(path) && all(file.exists(path))))
    stop("path: there is no file ", deparse(path)[1])
  if (!is.list(sets)) stop("sets = ", deparse(sets)[1], " is not a list of draws by their sizes")
  decoded <- list()  # blocks that need less than 512 MB are kept for the next pair of systems
  kept <- 0
  decode <- function(bytes, set, trials) {
    numbers <- if (set$width > 0) {
      signed <- set$width == 4  # R reads only signed ones of this width; draws are below 2^31
      readBin(bytes, "integer", length(bytes), set$width, signed = signed, endian = "little")
    } else rawToBits(bytes)
    matrix(as.double(numbers), ncol = trials)[seq_len(set$numbers), , drop = FALSE]
  }
  read <- function(set, f) {
    connection <- file(path, "rb")
    on.exit(close(connection))
    seek(connection, set$offset)
    bytes <- if (set$width > 0) set$numbers * set$width else ceiling(set$numbers / 8)
    step <- max(1, 2^18 %/% set$numbers)
    lapply(seq(0, set$trials - 1, step), function(start) {
      trials <- min(step, set$trials - start)
      block <- readBin(connection, "raw", bytes * trials)
      if (length(block) < bytes * trials) stop("the file of draws ends too early")
      f(decode(block, set, trials))
    })
  }
  function(f, sizes) {
    key <- paste(sizes, collapse = " x ")
    set <- sets[[key]]
    if (is.null(set)) stop("there are no draws for samples of size ", key)
    if (is.null(decoded[[key]])) {
      if (kept + set$numbers * set$trials > 2^26) return(read(set, f))
      decoded[[key]] <<- read(set, identity)
      kept <<- kept + set$numbers * set$trials
    }
    lapply(decoded[[key]], f)
  }
}
